package dev.tandem.api;

/**
 * Wraps every handler of a queue, for tracing, logging context or transactions. The interceptor that was added first is
 * the outermost. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface Interceptor {

    /**
     * Runs around one attempt, on the handler's thread. Calls {@code next} once; or does not call it, and decides
     * itself how the attempt ended.
     *
     * @param next the next interceptor, or the handler
     * @return how the attempt ended, usually what {@code next} returned
     * @throws Exception a failed attempt, as in {@link Handler#handle}
     */
    Result around(TaskContext task, Handler next) throws Exception;
}
