package dev.tandem.api;

/**
 * Runs the tasks of one type. Implementations must be thread-safe: many threads call a handler at once.
 *
 * <p>A task may run more than once, because its outcome can get lost. So a handler must be idempotent, or pass {@link
 * TaskContext#token} to the systems that it writes to. A handler is interrupted at its timeout, and when the process
 * must end; its result or exception does not count after that.
 */
@FunctionalInterface
public interface Handler {

    /**
     * Runs one attempt.
     *
     * @return how the attempt ended, {@link Result#done()} if the task succeeded; never null
     * @throws Exception if the attempt failed. The task is retried by the queue's retry policy. It is dead at once if
     *     the exception is a {@link FinalError}, or of a class that the queue's settings name as final
     */
    Result handle(TaskContext task) throws Exception;

    /** Returns a handler that succeeds when {@code action} returns. */
    static Handler of(Action action) {
        return task -> {
            action.run(task);
            return Result.done();
        };
    }

    /** A handler's code without a result: the task succeeds when it returns. */
    @FunctionalInterface
    interface Action {

        /**
         * Runs one attempt.
         *
         * @throws Exception a failed attempt, as in {@link Handler#handle}
         */
        void run(TaskContext task) throws Exception;
    }
}
