package dev.tandem.executor;

import dev.tandem.task.Task;
import dev.tandem.task.store.RateInfo;
import org.jspecify.annotations.Nullable;

/**
 * A rate limit: how many tasks begin in a time, in all executors together. Immutable.
 *
 * @param name the same in all executors. Rate limits of one name are one limit, also of several queues
 * @param intervalMicros the time for one task
 * @param burst how many tasks may begin at once after a time without any
 * @param per what has a limit of its own: {@link #PER_KEY}, or the name of a header; null if all tasks share one
 * @param tasks which tasks of its queues it covers
 */
public record TaskRate(
        String name,
        long intervalMicros,
        int burst,
        @Nullable String per,
        TaskPattern tasks) {

    /** Each key has a limit of its own. */
    public static final String PER_KEY = "";

    /** The most tasks in a second, and the largest burst. */
    public static final int MOST = 1_000_000;

    /** @throws IllegalArgumentException if the interval or the burst is less than 1 */
    public TaskRate {
        if (intervalMicros < 1 || burst < 1) {
            throw new IllegalArgumentException("The rate limit '" + name + "' has the interval " + intervalMicros
                    + " µs and the burst " + burst + ", both must be 1 or more");
        }
    }

    /** Returns what people see of it. */
    public RateInfo info() {
        return new RateInfo(
                name, intervalMicros, burst, per == null ? null : per.equals(PER_KEY) ? "key" : "header:" + per);
    }

    boolean covers(@Nullable String type, @Nullable String key) {
        return tasks.covers(type, key);
    }

    /** Returns whether all tasks of a queue share one bucket, so that there are no others to start. */
    boolean coversAll() {
        return per == null && tasks.coversAll();
    }

    /** Returns the bucket of a task. Tasks without the key or the header share one. */
    String bucketOf(Task task) {
        if (per == null) {
            return "";
        }
        String value = per.equals(PER_KEY) ? task.key() : task.headers().get(per);
        return value == null ? "" : value;
    }
}
