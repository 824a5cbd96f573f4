package dev.tandem.runtime.schedules;

import dev.tandem.executor.ExecutorMetrics;

/** Receives the measurements of schedules. Metrics of runs that are of this type too receive both. */
public interface ScheduleMetrics {

    /** Ignores all measurements. */
    ScheduleMetrics NONE = new ScheduleMetrics() {};

    /** Returns the part of the metrics of a program that receives the measurements of schedules. */
    static ScheduleMetrics of(ExecutorMetrics metrics) {
        return metrics instanceof ScheduleMetrics both ? both : NONE;
    }

    /** Counts a task that was submitted. @param lateMillis how long after its time */
    default void fired(String schedule, String queue, long lateMillis) {}

    /** Counts instants that were passed over, because no program could fire them in time. */
    default void missed(String schedule, String queue, int count) {}

    /** Counts an instant that was passed over, because the task of an earlier one had not ended. */
    default void skipped(String schedule, String queue) {}
}
