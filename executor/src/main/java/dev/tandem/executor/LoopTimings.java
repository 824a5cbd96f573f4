package dev.tandem.executor;

/**
 * How long a queue's loop waits, in milliseconds.
 *
 * @param leave for partitions to be flushed and released before they count as lost
 * @param drain from the order to stop until running handlers are interrupted
 * @param grace from then until the loop ends without the rest
 */
record LoopTimings(long leave, long drain, long grace) {

    static final long LEAVE_MILLIS = 5_000;
    static final long GRACE_MILLIS = 2_000;

    static LoopTimings draining(long drainMillis) {
        return new LoopTimings(Math.min(LEAVE_MILLIS, Math.max(1_000, drainMillis)), drainMillis, GRACE_MILLIS);
    }
}
