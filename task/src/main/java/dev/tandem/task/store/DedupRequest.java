package dev.tandem.task.store;

/**
 * A request about one deduplication key of a queue. It may be repeated: tasks are known by where they are, and nothing is
 * counted.
 */
public sealed interface DedupRequest {

    /** Returns the deduplication key. */
    String key();

    /** Returns the task that has the key. */
    TaskIdentity task();

    /**
     * A task has come, or is about to run. Answered with any {@link DedupAnswer} but {@link DedupAnswer.Noted}.
     *
     * @param begins whether the task is about to run. Only then is it answered that it must wait
     * @param delayMillis the time until it is due
     */
    record Ask(String key, TaskIdentity task, boolean begins, long delayMillis, DedupPolicy policy)
            implements DedupRequest {}

    /**
     * A task has ended, or will run later. Answered with {@link DedupAnswer.Noted}.
     *
     * @param delayMillis with {@link Ending#LATER}: the time until then
     * @param keptMillis for how long the end is remembered at least; ten minutes count in any case
     */
    record Tell(String key, TaskIdentity task, Ending ending, long delayMillis, long keptMillis)
            implements DedupRequest {

        /** An end that is remembered for as long as was said of the task before. */
        public Tell(String key, TaskIdentity task, Ending ending, long delayMillis) {
            this(key, task, ending, delayMillis, 0);
        }
    }

    /** How a run with a deduplication key ended. */
    enum Ending {
        SUCCEEDED,
        /** The task is dead or cancelled. */
        FAILED,
        /** The task waits for another run. */
        LATER
    }
}
