package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** Makes runs for tests, as only the core may otherwise. */
public final class TestRuns {

    public static final long FOREVER = Long.MAX_VALUE;

    private TestRuns() {}

    public static Run of(Task task, long offset, int attempt, long leaseUntil) {
        return new Run(
                Partition.of(task.queue(), 0),
                Position.of(1, offset),
                task,
                100 + offset,
                attempt,
                0,
                offset,
                leaseUntil);
    }

    public static Run of(Task task, long offset) {
        return of(task, offset, 1, FOREVER);
    }

    /** One that the store kept: it has no place among the deliveries. */
    public static Run stored(Task task, long offset) {
        return new Run(Partition.of(task.queue(), 0), Position.of(1, offset), task, 100 + offset, 2, 0, -1, FOREVER);
    }

    /** One whose last starts ended with a lapsed lease. */
    public static Run lapsed(Task task, long offset, int lapses, long leaseUntil) {
        return new Run(
                Partition.of(task.queue(), 0),
                Position.of(1, offset),
                task,
                100 + offset,
                lapses + 1,
                lapses,
                offset,
                leaseUntil);
    }
}
