package dev.tandem.server.inspect;

/**
 * The number of tasks in the store by state.
 *
 * @param succeeded all successes since the queue was created
 */
public record TaskCounts(long active, long scheduled, long retry, long parked, long dead, long succeeded) {

    public static final TaskCounts NONE = new TaskCounts(0, 0, 0, 0, 0, 0);

    /** Returns how many run, or are to run. */
    public long toRun() {
        return active + scheduled + retry + parked;
    }

    public TaskCounts plus(TaskCounts other) {
        return new TaskCounts(
                active + other.active,
                scheduled + other.scheduled,
                retry + other.retry,
                parked + other.parked,
                dead + other.dead,
                succeeded + other.succeeded);
    }
}
