package dev.tandem.executor;

/**
 * How long the stages of leaving and stopping may take, in milliseconds.
 *
 * @param leave until partitions that could not be released count as lost
 * @param drain from the request to stop until running handlers are interrupted
 * @param grace from that interrupt until the loop ends in any case
 */
record LoopTimings(long leave, long drain, long grace) {

    private static final long LEAVE_MILLIS = 5_000;
    private static final long GRACE_MILLIS = 2_000;

    /** The time after the horizon for the last hand-overs and for the probe that proves them durable. */
    private static final long PROBE_MILLIS = 2_000;

    private static final long LEAST_LEAVE_MILLIS = 1_000;

    /**
     * Returns the timings for a drain timeout.
     *
     * @param horizonMillis some partitions are released only when the last hand-overs are durable
     */
    static LoopTimings draining(long drainMillis, long horizonMillis) {
        long leave = Math.max(LEAVE_MILLIS, horizonMillis + PROBE_MILLIS);
        return new LoopTimings(Math.min(leave, Math.max(LEAST_LEAVE_MILLIS, drainMillis)), drainMillis, GRACE_MILLIS);
    }
}
