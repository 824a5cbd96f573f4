package dev.tandem.runtime.schedules;

import java.util.concurrent.CompletionStage;

/** Port: the effects of firings outside of the records of schedules. Thread-safe; no method blocks. */
interface FiringEffects extends AutoCloseable {

    /**
     * Submits the task of a firing.
     *
     * @return completes when the broker has accepted it; fails with {@link dev.tandem.api.InvalidTaskException} if it cannot be
     *     accepted as it is, and otherwise if nobody knows
     */
    CompletionStage<?> submit(Schedule schedule, long instant);

    /** Finds out whether the task of an earlier firing has ended. */
    CompletionStage<TaskEnd> look(Schedule schedule, long instant);

    /** Asks for the task of an earlier firing to be cancelled, whether it waits or runs. */
    CompletionStage<?> cancel(Schedule schedule, long instant);

    /** Stops submitting. */
    @Override
    void close();
}
