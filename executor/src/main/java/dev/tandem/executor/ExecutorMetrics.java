package dev.tandem.executor;

import dev.tandem.task.Outcome;

/**
 * Port: receives measurements, to be bound to a metrics library. Implementations must be thread-safe, and quick,
 * because handler threads call them. Exceptions are logged and change no outcome.
 */
public interface ExecutorMetrics {

    /** Ignores all measurements. */
    ExecutorMetrics NONE = new ExecutorMetrics() {};

    /**
     * A handler begins, or a pull worker gets a task.
     *
     * @param waitMillis from the moment at which the task could first start to its first start, in milliseconds; {@link
     *     RunMeasurement#UNKNOWN} at later attempts, and if nobody knows when it was published
     */
    default void started(String queue, long waitMillis) {}

    /** A run has its outcome, also one that needed no handler. The store may refuse it later. */
    default void concluded(String queue, Outcome outcome) {}

    /** A handler ended. Calls {@link #finished}, so that one of both is enough. */
    default void ended(RunMeasurement run) {
        finished(run.queue(), run.type(), run.outcome(), run.runNanos());
    }

    /**
     * A handler ended.
     *
     * @param type the task's type. The number of types is bounded by the number of handlers, unless the queue has a
     *     fallback handler
     * @param outcome what was decided for the task
     * @param runNanos from the start of the handler to its end, in nanoseconds
     */
    default void finished(String queue, String type, Outcome outcome, long runNanos) {}

    /** A call of a batch handler ended, and had so many tasks. Each of them is {@link #finished} by itself too. */
    default void batch(String queue, String type, int size) {}

    /** A handler was interrupted at its timeout and has ended. {@link #finished} follows. */
    default void timedOut(String queue, String type) {}

    /** A task ended without a run, because another one has its deduplication key. */
    default void duplicate(String queue) {}

    /** A handler ignores its timeout's interrupt and still occupies a slot. Called once for each such attempt. */
    default void stuck(String queue, String type) {}
}
