package dev.tandem.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Awaits the results of tasks. Thread-safe. */
public interface TaskResults {

    /**
     * Waits until a task has ended, and returns its result. A result is kept if the setting {@code max-result-bytes} of its
     * queue allows it, for as long as it is kept that the task succeeded.
     *
     * @param type what the result is read as from JSON; {@code Void.class} for a task whose result does not matter
     * @param timeout more than 0, for all of it: until the broker has the task, and until it has ended
     * @return null if the handler returned nothing
     * @throws SubmitException if the broker did not take the task
     * @throws TaskResultException if the task ended without success or not in time, or its result is not kept or cannot be read;
     *     {@link TaskResultException#reason} says which
     * @throws IllegalStateException if the task is sent after the commit of a transaction that is still open in this thread
     * @throws InterruptedException if the thread was interrupted
     */
    <R> @Nullable R await(TaskRef<?> task, Class<R> type, Duration timeout) throws InterruptedException;
}
