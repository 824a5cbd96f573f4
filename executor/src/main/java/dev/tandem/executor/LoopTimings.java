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

    /** Beyond the horizon, for what is handed over last and for the probe that proves it. */
    private static final long PROOF_MILLIS = 2_000;

    /** @param horizonMillis some partitions are left only when what was handed over is durable */
    static LoopTimings draining(long drainMillis, long horizonMillis) {
        long leave = Math.max(LEAVE_MILLIS, horizonMillis + PROOF_MILLIS);
        return new LoopTimings(Math.min(leave, Math.max(1_000, drainMillis)), drainMillis, GRACE_MILLIS);
    }
}
