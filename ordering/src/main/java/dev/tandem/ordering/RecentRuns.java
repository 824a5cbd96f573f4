package dev.tandem.ordering;

/** Counts the runs that ended lately: as many may be expected to run within the same time from now on. */
final class RecentRuns {

    /** Length of a period. The runs of the present period and of the one before it are counted. */
    private static final long SPAN_MILLIS = 125;

    private long span;
    private int inSpan;
    private int inSpanBefore;

    void ended(long now) {
        turnTo(now);
        inSpan++;
    }

    int count(long now) {
        turnTo(now);
        return inSpanBefore + inSpan;
    }

    private void turnTo(long now) {
        long current = now / SPAN_MILLIS;
        if (current != span) {
            inSpanBefore = current == span + 1 ? inSpan : 0;
            inSpan = 0;
            span = current;
        }
    }
}
