package dev.tandem.executor;

/**
 * Runs the tasks of one type. Called from many threads at once.
 *
 * <p>A task may run more than once (its outcome may get lost), so a handler is idempotent, or passes {@link
 * TaskContext#token} on to what it writes to. It is interrupted at its timeout and when the process must end; what it
 * returns or throws after that does not count.
 */
@FunctionalInterface
public interface Handler {

    /**
     * Runs one attempt.
     *
     * @return how the attempt ended; {@link Result#done()} when all is well
     * @throws Exception a failed attempt: tried again by the queue's retry policy. One that is a {@link FinalError}, or
     *     of a class that the queue names as final, makes the task dead at once
     */
    Result handle(TaskContext task) throws Exception;

    /** A handler that succeeds when {@code action} returns. */
    static Handler of(Action action) {
        return task -> {
            action.run(task);
            return Result.done();
        };
    }

    /** A handler's work without a result of its own. */
    @FunctionalInterface
    interface Action {
        void run(TaskContext task) throws Exception;
    }
}
