package dev.tandem.api;

/**
 * Wraps every submission of a {@link TaskClient}, for tracing, headers that all tasks need, or checks. The interceptor that
 * was added first is the outermost. Implementations must be thread-safe and must not block.
 */
@FunctionalInterface
public interface SubmitInterceptor {

    /**
     * Runs around one submission, on the submitting thread. Calls {@code next} once, with the task or with a changed copy of
     * it. An exception refuses the task, and with it all tasks of the same {@link TaskClient#submitAll}.
     *
     * <p>{@link TaskRef#accepted} of the result tells when the submission has ended. Inside of a transaction, and in a batch,
     * the task is sent after this method has returned.
     *
     * @param next the next interceptor, or the client
     * @return what {@code next} returned
     */
    TaskRef<?> around(TaskRequest<?> task, Next next);

    /** The rest of a submission. */
    @FunctionalInterface
    interface Next {

        /**
         * Submits the task.
         *
         * @throws InvalidTaskException if the task can never be accepted
         */
        TaskRef<?> submit(TaskRequest<?> task);
    }
}
