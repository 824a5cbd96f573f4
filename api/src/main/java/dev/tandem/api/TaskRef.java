package dev.tandem.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A submitted task. Thread-safe.
 *
 * @param <T> what its handler returns
 */
public interface TaskRef<T> {

    /** Returns the task's id, by which operators and the API find it: the given one, or else one that no other task has. */
    String id();

    /** Returns the name of the task's queue. */
    String queue();

    /**
     * Returns the broker's acknowledgement. It fails with a {@link SubmitException} that says what to do. The task may have
     * arrived all the same, so give a task that is submitted again the same deduplication key.
     *
     * @return a copy: to complete or cancel it has no effect on the submission
     */
    CompletableFuture<TaskRef<T>> accepted();

    /**
     * Waits for the broker's acknowledgement.
     *
     * @param timeout more than 0
     * @return this reference
     * @throws SubmitException if the broker refused the task, or did not acknowledge it in this time. After the time the task
     *     may arrive all the same
     * @throws IllegalStateException if the task is sent after the commit of a transaction that is still open in this thread
     * @throws InterruptedException if the thread was interrupted
     */
    TaskRef<T> await(Duration timeout) throws InterruptedException;
}
