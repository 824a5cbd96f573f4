package dev.tandem.server.inspect;

/**
 * Tasks in Redis's custody by state, and successes.
 *
 * @param succeeded since the beginning
 */
public record TaskCounts(long active, long scheduled, long retry, long parked, long dead, long succeeded) {

    public static final TaskCounts NONE = new TaskCounts(0, 0, 0, 0, 0, 0);

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
