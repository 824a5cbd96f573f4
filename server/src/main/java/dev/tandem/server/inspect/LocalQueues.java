package dev.tandem.server.inspect;

import org.jspecify.annotations.Nullable;

/** Port: the queues as this process knows them. Does not wait. Thread-safe. */
@FunctionalInterface
public interface LocalQueues {

    /** Returns what this process knows of a queue. */
    LocalQueue of(String queue);

    /**
     * A queue as this process knows it. All texts are for people.
     *
     * @param brokerProblem why the queue's broker cannot be reached; null if it can
     * @param redisProblem why Redis cannot be reached, or must not be used; null if it can be used
     * @param problem what keeps this process from running the queue's tasks; null if nothing does
     * @param withheld why this process starts fewer tasks of the queue than it could, or that it cannot tell whether the
     *     queue is paused; null if neither is so
     * @param slowed whether this process slows its starts down, because nearly all attempts fail
     * @param full whether Redis has no room for more tasks of one of the partitions
     * @param waits what makes tasks wait although the queue works; null if nothing does
     * @param forgotten which of the broker's queues nobody consumes, because another ordering has left them; null if there
     *     are none, or this process cannot tell
     * @param gaps for how long partitions have had no owner, in the whole cluster
     */
    record LocalQueue(
            @Nullable String brokerProblem,
            @Nullable String redisProblem,
            @Nullable String problem,
            @Nullable String withheld,
            boolean slowed,
            boolean full,
            @Nullable String waits,
            @Nullable String forgotten,
            OwnerGaps gaps) {

        /** Nothing is known to be wrong. */
        public static final LocalQueue GOOD =
                new LocalQueue(null, null, null, null, false, false, null, null, OwnerGaps.NONE);
    }
}
