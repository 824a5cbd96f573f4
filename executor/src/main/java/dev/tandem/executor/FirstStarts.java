package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Task;

/** Says how long tasks waited for their first starts. Pure. */
final class FirstStarts {

    private FirstStarts() {}

    /**
     * Returns how long a task waited: since it was published, or since its earliest start if that is later.
     *
     * @param startedAt when the run started, in epoch milliseconds
     * @return milliseconds; {@link RunMeasurement#UNKNOWN} at later attempts, and if nobody knows when it was published
     */
    static long waitMillis(Run run, long startedAt) {
        Task task = run.task();
        long due = Math.max(task.publishedAt(), task.notBefore());
        // A dead task that an operator retries begins with the first attempt again.
        if (due <= 0 || run.attempt() > 1 || task.headers().containsKey(AttemptHistory.HEADER)) {
            return RunMeasurement.UNKNOWN;
        }
        return Math.max(0, startedAt - due);
    }
}
