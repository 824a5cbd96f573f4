package dev.tandem.executor;

import dev.tandem.task.TaskPlace;
import java.util.HashMap;
import java.util.Map;

/**
 * The tasks of a queue that wait for others, as this process last saw them. One that does not look again in time waits elsewhere,
 * or has been cancelled. Thread-safe.
 */
final class Dependents {

    /** More are not counted. */
    static final int MAX_TASKS = 20_000;

    /** How much later than announced a task may look again. */
    static final long LATE_MILLIS = 60_000;

    private static final long SWEEP_MILLIS = 1_000;

    /** Times by the monotonic clock. @param until when it does not count any more unless it looks again */
    private record Wait(long since, long until) {}

    private final ExecutorClock clock;
    /** Guarded by this, like all other fields. */
    private final Map<TaskPlace, Wait> waits = new HashMap<>();

    private long nextSweep;
    private long oldest;

    Dependents(ExecutorClock clock) {
        this.clock = clock;
    }

    /** A task has waited for so long, and looks again after a delay. */
    synchronized void waits(TaskPlace task, long waitedMillis, long delayMillis) {
        if (waits.size() < MAX_TASKS || waits.containsKey(task)) {
            long now = clock.millis();
            waits.put(task, new Wait(now - waitedMillis, now + delayMillis + LATE_MILLIS));
        }
    }

    /** A task waits no more. */
    synchronized void waitsNoMore(TaskPlace task) {
        waits.remove(task);
    }

    synchronized int count() {
        sweep();
        return waits.size();
    }

    /** Returns how long the oldest of them has waited; 0 if there is none. */
    synchronized long oldestMillis() {
        sweep();
        return waits.isEmpty() ? 0 : Math.max(0, clock.millis() - oldest);
    }

    private void sweep() {
        long now = clock.millis();
        if (now < nextSweep) {
            return;
        }
        nextSweep = now + SWEEP_MILLIS;
        waits.values().removeIf(each -> each.until() <= now);
        oldest = waits.values().stream().mapToLong(Wait::since).min().orElse(now);
    }
}
