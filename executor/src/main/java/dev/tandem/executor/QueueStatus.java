package dev.tandem.executor;

import org.jspecify.annotations.Nullable;

/**
 * The status of one queue of an executor at one moment, for health checks, metrics and people. Counts begin when the
 * executor is built. Immutable.
 *
 * @param queue the queue's name
 * @param state the state of the queue's loop
 * @param problem what is wrong, for people; null if nothing is
 * @param withheld why fewer tasks start than could, for people: the queue is paused, nearly all attempts fail, or the
 *     store has no room for more. Also says so if tasks start although nobody can tell whether the queue is paused. Null
 *     if none is held back
 * @param slowed whether starts are slowed down, because nearly all attempts fail
 * @param partitionsWithoutRoom in how many partitions no fresh task starts, because the store has no room for more
 * @param sharing whether this executor takes its share of the queue's partitions. False once it is stopping, and a few
 *     seconds after it began to hang or lost a broker that assigns no partitions (RabbitMQ). The other executors then
 *     take its share
 * @param partitions the number of partitions that this executor holds
 * @param partitionsWithoutStore how many of them have no connection to the store
 * @param running the number of runs, including those that are about to start, as of the last turn
 * @param collecting how many of them wait for others of their batch
 * @param succeeded attempts that succeeded
 * @param retried attempts that failed and will be followed by another
 * @param dead tasks that died in this executor
 * @param notStarted runs that were returned without an attempt
 * @param timedOut attempts that were interrupted at their timeout; they also count as retried or dead
 * @param waits what makes tasks wait although the queue works, for people: memory is full, or there is no room for more tasks
 *     of a key. Null if nothing does
 * @param memoryBytes the size of the delivered tasks in memory, as it was lately
 * @param fullPartitions in how many partitions memory is full, so that the broker delivers nothing
 * @param overflowTasks tasks that wait in the log, because there is no room for more of their keys
 * @param overflowKeys the number of those keys
 * @param overflowAgeMillis milliseconds since the oldest of those tasks was published, or somewhat more; 0 if there is none
 * @param movedKeysWaiting keys that are in another partition since the log got more of them, and whose tasks in this process
 *     wait for those in their earlier partition
 * @param dependentsWaiting tasks that wait for others, as this process last saw them
 * @param dependentsOldestMillis for how long the oldest of them has waited; 0 if there is none
 * @param lastTurnAgeMillis milliseconds since the loop's last turn. More than a few seconds mean that the loop hangs
 */
public record QueueStatus(
        String queue,
        State state,
        @Nullable String problem,
        @Nullable String withheld,
        boolean slowed,
        int partitionsWithoutRoom,
        boolean sharing,
        int partitions,
        int partitionsWithoutStore,
        int running,
        int collecting,
        long succeeded,
        long retried,
        long dead,
        long notStarted,
        long timedOut,
        @Nullable String waits,
        long memoryBytes,
        int fullPartitions,
        long overflowTasks,
        int overflowKeys,
        long overflowAgeMillis,
        int movedKeysWaiting,
        int dependentsWaiting,
        long dependentsOldestMillis,
        long lastTurnAgeMillis) {

    /** The state of a queue's loop. */
    public enum State {
        NEW,
        RUNNING,
        /** The loop releases its partitions and waits for its handlers. */
        STOPPING,
        STOPPED,
        /** The loop failed because of a bug. The process must be restarted. */
        FAILED
    }

    /** Returns whether tasks can run: the loop turns, and the store of every held partition can be reached. */
    public boolean healthy() {
        return state == State.RUNNING && problem == null;
    }
}
