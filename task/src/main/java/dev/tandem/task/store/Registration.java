package dev.tandem.task.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Port: the entry of one executor among all executors of a store. While it exists, people see the executor, the others share
 * the partitions of its queues with it, and it hears which of its queues operators pause. Thread-safe.
 */
public interface Registration extends AutoCloseable {

    /** Whether an operator has paused a queue. */
    enum OperatorPause {
        NO,
        YES,
        /** The store has not answered yet. No task may start. */
        AWAITED,
        /** The store has not answered for long, and has never said so before. Tasks start, so that they need not wait for it. */
        UNKNOWN;

        /** Returns whether no task may start. */
        public boolean holdsStarts() {
            return this == YES || this == AWAITED;
        }
    }

    /** The executor that is registered. Any thread may call its methods, none of which may block. */
    interface Registrant {

        /** The most tasks that {@link #find} returns. */
        int MOST_FOUND = 20;

        /** Returns its id, which no other executor ever has. */
        String id();

        /** Returns the names of its queues. */
        Set<String> queues();

        /** Returns the number of runs of each queue whose partitions it takes its share of. Called often. */
        Map<String, Integer> shares();

        /** Returns what it has handlers for, of each queue. Always the same. */
        default Map<String, HandledTypes> handled() {
            return Map.of();
        }

        /** Returns for which types it was given tasks lately and had no handler, of each queue that has any. Called often. */
        default Map<String, HandledTypes> unhandled() {
            return Map.of();
        }

        /** Returns the queues of which it holds partitions and in which it has no problem. Called often. */
        default Set<String> working() {
            return Set.of();
        }

        /**
         * Says for how long the oldest task of a queue has waited that could start, as far as the executor has it in memory: in ms, of
         * each partition that it owns and that has one, by the partition's name. May never complete, if the executor is stuck.
         */
        default CompletionStage<Map<String, Long>> oldestWaits(String queue) {
            return CompletableFuture.completedFuture(Map.of());
        }

        /**
         * Cancels the tasks with this id that the executor has: interrupts the handlers that run them, and ends those that wait in
         * its memory. A task whose handler does not succeed all the same has the outcome {@link
         * dev.tandem.task.Outcome.Cancelled}.
         *
         * @param id the task's id, or its partition's name, a slash and its position
         * @return the places of the tasks that it has: each a partition's name, a slash and a position. It need not complete
         */
        default CompletionStage<List<String>> cancel(String queue, String id) {
            return CompletableFuture.completedFuture(List.of());
        }

        /**
         * Looks for tasks with this id in its memory: those that it runs, and those that wait there.
         *
         * @param id as for {@link #cancel}
         * @return at most {@link #MOST_FOUND}. May never complete, if the executor is stuck
         */
        default CompletionStage<List<HeldTask>> find(String queue, String id) {
            return CompletableFuture.completedFuture(List.of());
        }

        /** Says what it has in memory of a key or a task. May never complete, if the executor is stuck. */
        default CompletionStage<HeldAnswer> held(String queue, HeldQuestion question) {
            return CompletableFuture.completedFuture(HeldAnswer.NONE);
        }

        /**
         * Says which tasks of a queue it runs, or holds back although it has claimed them.
         *
         * @return at most {@link RunningTask#MOST}, those first that have run for longest. May never complete, if the executor is
         *     stuck
         */
        default CompletionStage<List<RunningTask>> running(String queue) {
            return CompletableFuture.completedFuture(List.of());
        }

        /**
         * Takes note of whether an operator has paused a queue: as soon as the store knows or gives up asking, and then at
         * every change. Before the first call no task of the queue may start, as for {@link OperatorPause#AWAITED}.
         */
        void paused(String queue, OperatorPause paused);

        /** Takes note of which tasks of a queue operators have paused: at every change, and before a first {@link #paused}. */
        default void pausedTasks(String queue, PausedTasks tasks) {}
    }

    /** The entry in a store that knows of no other executors. */
    Registration ALONE = new Registration() {
        @Override
        public Set<String> sharing(String queue) {
            return Set.of();
        }

        @Override
        public void close() {}
    };

    /**
     * Returns the ids of all live executors that take their share of a queue's partitions, as far as is known. The executor
     * itself may be missing. Never waits.
     */
    Set<String> sharing(String queue);

    /**
     * Returns all live executors that say what they have handlers for in a queue, as far as is known. The executor itself may
     * be missing. Never waits.
     */
    default List<HandlerPeer> peers(String queue) {
        return List.of();
    }

    /** Removes the entry. Waits for the store, for two seconds at most. */
    @Override
    void close();
}
