package dev.tandem.executor;

import dev.tandem.task.Outcome;

/** Told of what happens, to be bound to a metrics library. Called on hot paths and from many threads: be quick. */
public interface ExecutorMetrics {

    ExecutorMetrics NONE = new ExecutorMetrics() {};

    /**
     * A handler ended.
     *
     * @param type of the task; only types that have a handler, so their number is bounded unless the queue takes all
     * @param runNanos from its start to its end
     */
    default void finished(String queue, String type, Outcome outcome, long runNanos) {}

    /** A handler was interrupted at its timeout. */
    default void timedOut(String queue, String type) {}

    /** A handler ignores its interrupt and keeps its slot. */
    default void stuck(String queue, String type) {}
}
