package dev.tandem.runtime.schedules;

/** Receives the measurements of schedules. */
public interface ScheduleMetrics {

    /** Receives nothing. */
    ScheduleMetrics NONE = new ScheduleMetrics() {};

    /** A task was submitted. @param lateMillis how long after its time */
    default void fired(String schedule, long lateMillis) {}

    /** Instants were passed over, because no program could fire them in time. */
    default void missed(String schedule, int count) {}

    /** An instant was passed over, because the task of an earlier one had not ended. */
    default void skipped(String schedule) {}
}
