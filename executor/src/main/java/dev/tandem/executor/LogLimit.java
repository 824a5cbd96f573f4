package dev.tandem.executor;

/** Lets so many messages through in a while and counts the rest, so that a flood of failures stays readable. */
final class LogLimit {
    private final Time time;
    private final int burst;
    private final long windowMillis;
    private long windowEnd = Long.MIN_VALUE;
    private int used;
    private long suppressed;

    LogLimit(Time time, int burst, long windowMillis) {
        this.time = time;
        this.burst = burst;
        this.windowMillis = windowMillis;
    }

    /**
     * Asks to log once.
     *
     * @return -1 to keep quiet, else how many messages were kept back since the last one that came through
     */
    synchronized long admit() {
        long now = time.millis();
        if (now >= windowEnd) {
            windowEnd = now + windowMillis;
            used = 0;
        }
        if (used >= burst) {
            suppressed++;
            return -1;
        }
        used++;
        long kept = suppressed;
        suppressed = 0;
        return kept;
    }
}
