package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.Task;

/**
 * What was measured of one attempt.
 *
 * @param type the task's type. The number of types is bounded by the number of handlers, unless the queue has a fallback
 *     handler
 * @param attempt 1 at the first start
 * @param outcome what was decided for the task
 * @param runNanos from the start of the handler to its end, in nanoseconds
 * @param waitMillis from the moment at which the task could first start to its first start, in milliseconds; {@link #UNKNOWN}
 *     at later attempts, and if nobody knows when it was published
 * @param scheduled whether that moment is an earliest start that the task was given, and not its publication
 */
public record RunMeasurement(
        String queue, String type, int attempt, Outcome outcome, long runNanos, long waitMillis, boolean scheduled) {

    /** The wait of an attempt of which it is not known. */
    public static final long UNKNOWN = -1;

    /** Returns the measurement of an attempt that has ended. */
    static RunMeasurement of(Attempt attempt, Outcome outcome, long runNanos) {
        Task task = attempt.run().task();
        return new RunMeasurement(
                attempt.queue(),
                attempt.type(),
                attempt.attempt(),
                outcome,
                runNanos,
                attempt.waitMillis(),
                task.notBefore() > task.publishedAt());
    }
}
