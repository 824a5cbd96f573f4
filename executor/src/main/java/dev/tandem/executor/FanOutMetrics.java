package dev.tandem.executor;

/** Port: receives measurements of fan-outs. Thread-safe and quick. */
public interface FanOutMetrics {

    /** Ignores all measurements. */
    FanOutMetrics NONE = new FanOutMetrics() {};

    /** Returns what also receives measurements of fan-outs, if it does. */
    static FanOutMetrics of(ExecutorMetrics metrics) {
        return metrics instanceof FanOutMetrics both ? both : NONE;
    }

    /** A master has published all subtasks. */
    default void fannedOut(String queue, long subtasks) {}

    /**
     * A fan-out has ended, and its final task is submitted.
     *
     * @param queue the queue of its master
     * @param state how it ended: {@code completed}, {@code failed}, {@code cancelled} or {@code abandoned}
     * @param millis from its begin to its end
     */
    default void fanOutEnded(String queue, String state, long millis) {}
}
