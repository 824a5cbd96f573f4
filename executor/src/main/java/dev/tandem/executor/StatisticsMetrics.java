package dev.tandem.executor;

/** Receives measurements of the statistics themselves. Implementations must be thread-safe and quick. */
public interface StatisticsMetrics {

    /** Ignores all measurements. */
    StatisticsMetrics NONE = (queue, runs) -> {};

    /** Returns what else measures that, or what ignores it. */
    static StatisticsMetrics of(ExecutorMetrics metrics) {
        return metrics instanceof StatisticsMetrics both ? both : NONE;
    }

    /** Counts starts and ends of runs that are missing in the statistics, because Redis did not take them. */
    void lost(String queue, long runs);
}
