package dev.tandem.executor;

import org.jspecify.annotations.Nullable;

/**
 * One queue of an executor at a moment, for health, metrics and people. Counters count from the executor's start.
 *
 * @param queue its name
 * @param state of its loop
 * @param problem why it is not well, for people; null if it is
 * @param sharing it takes its share of the queue's partitions: others leave it that. Not when it is stopped, nor when it
 *     hangs or can't reach a broker that assigns none (RabbitMQ) for some seconds
 * @param partitions held now
 * @param partitionsWithoutStore held partitions whose store can't be reached
 * @param running handlers running or about to, as of the last turn
 * @param succeeded attempts that ended well
 * @param retried attempts that failed and will be followed by another
 * @param dead tasks given up here
 * @param notStarted runs handed back without an attempt
 * @param timedOut attempts interrupted at their timeout, also counted as retried or dead
 * @param lastTurnAgeMillis since the loop's last turn; long means that it hangs
 */
public record QueueStatus(
        String queue,
        State state,
        @Nullable String problem,
        boolean sharing,
        int partitions,
        int partitionsWithoutStore,
        int running,
        long succeeded,
        long retried,
        long dead,
        long notStarted,
        long timedOut,
        long lastTurnAgeMillis) {

    /** Of a queue's loop. */
    public enum State {
        NEW,
        RUNNING,
        /** Giving its partitions up and waiting for its handlers. */
        STOPPING,
        STOPPED,
        /** Stopped by a bug; needs a restart of the process. */
        FAILED
    }

    /** Whether tasks can run: the loop turns and every held partition's store answers. */
    public boolean healthy() {
        return state == State.RUNNING && problem == null;
    }
}
