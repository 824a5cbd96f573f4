package dev.tandem.executor;

/** Counts the attempts that ended within the last so many milliseconds, in ten parts. One thread uses it. */
final class AttemptWindow {

    private static final int PARTS = 10;

    private final long partMillis;
    private final long[] succeeded = new long[PARTS];
    private final long[] failed = new long[PARTS];
    /** The number of the latest part that was used. */
    private long latest;

    AttemptWindow(long millis) {
        this.partMillis = Math.max(1, millis / PARTS);
    }

    void add(long succeededNow, long failedNow, long now) {
        advance(now);
        succeeded[at(latest)] += succeededNow;
        failed[at(latest)] += failedNow;
    }

    long total(long now) {
        return failed(now) + sum(succeeded);
    }

    long failed(long now) {
        advance(now);
        return sum(failed);
    }

    void clear() {
        for (int i = 0; i < PARTS; i++) {
            succeeded[i] = 0;
            failed[i] = 0;
        }
    }

    /** Forgets the parts that are too old. */
    private void advance(long now) {
        long part = Math.floorDiv(now, partMillis);
        if (part - latest >= PARTS) {
            clear();
        } else {
            for (long each = latest + 1; each <= part; each++) {
                succeeded[at(each)] = 0;
                failed[at(each)] = 0;
            }
        }
        latest = Math.max(latest, part);
    }

    private static int at(long part) {
        return Math.floorMod(part, PARTS);
    }

    private static long sum(long[] parts) {
        long sum = 0;
        for (long part : parts) {
            sum += part;
        }
        return sum;
    }
}
