package dev.tandem.api;

/**
 * Runs the tasks of one type, with the payload as an object. Succeeds when it returns, and fails when it throws. Otherwise as
 * {@link Handler}.
 *
 * @param <T> what payloads are read as
 */
@FunctionalInterface
public interface TypedHandler<T> {

    /**
     * Runs one attempt.
     *
     * @throws Exception if the attempt failed, as in {@link Handler#handle}. {@link RetryLaterException} chooses the delay
     *     before the next one, and {@link FatalTaskException} makes the task dead at once
     */
    void handle(T payload, TaskContext task) throws Exception;
}
