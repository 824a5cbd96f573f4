package dev.tandem.task.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one executor has of a limit's permits, and how many it wants. It describes a state, so it may be repeated; one with a
 * lower number than another has no effect.
 *
 * @param limit names the limit
 * @param max the most permits of all executors together, by the settings. A {@link LimitOverride} takes its place
 * @param executor who asks
 * @param number counts the executor's requests about the limit
 * @param used the permits whose runs have begun and not ended
 * @param kept the permits that the executor does not give back now, at least the used ones
 * @param wanted how many it wants in all, at least the kept ones
 * @param waiting the runs that wait for a permit, for people
 * @param leaseMillis for how long the permits are held unless the request is repeated
 * @param runs some of the runs with a permit, for people; null if they are as before
 */
public record PermitRequest(
        String limit,
        int max,
        String executor,
        long number,
        int used,
        int kept,
        int wanted,
        int waiting,
        long leaseMillis,
        @Nullable List<PermitRun> runs) {

    /** The most {@link #runs} of a request. */
    public static final int MAX_RUNS = 10;

    /**
     * A run with a permit.
     *
     * @param queue its queue
     * @param place its task's partition, slash, position
     * @param id its task's id
     * @param since when it got its permit, in epoch milliseconds
     */
    public record PermitRun(String queue, String place, String id, long since) {}
}
