package dev.tandem.executor;

/**
 * Wraps every handler of a queue: tracing, logging context, transactions. The first one registered is the outermost.
 * Thread-safe.
 */
@FunctionalInterface
public interface Interceptor {

    /** Calls {@code next} once, or not at all and says itself how the attempt ended. */
    Result around(TaskContext task, Handler next) throws Exception;
}
