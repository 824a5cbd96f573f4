package dev.tandem.api;

/**
 * Traces submissions and runs. Programs get one from {@code tandem-opentelemetry}, and add it to a client or to all that
 * they have. Implementations must be thread-safe.
 */
public interface TaskTracing extends Interceptor, SubmitInterceptor {

    /** Returns the same tracing with another mode, as {@code tandem.tracing.mode} says it. */
    default TaskTracing withMode(TracingMode mode) {
        return this;
    }

    /**
     * Returns the same tracing with or without the keys of tasks, which may be personal data, as {@code tandem.log.keys}
     * says it.
     */
    default TaskTracing withKeys(boolean keys) {
        return this;
    }

    /**
     * Returns the same tracing with or without the ids of the trace in SLF4J's diagnostic context (MDC), as {@code
     * tandem.log.mdc} says it.
     */
    default TaskTracing withLogContext(boolean logContext) {
        return this;
    }
}
