package dev.tandem.executor;

import dev.tandem.task.Partition;
import org.jspecify.annotations.Nullable;

/**
 * A limit of the tasks that run at once in all executors together. Immutable.
 *
 * @param name the same in all executors. Limits of one name are one limit, also of several queues
 * @param max the most tasks that run at once
 * @param tasks which tasks of its queues it covers
 */
public record TaskLimit(String name, int max, TaskPattern tasks) {

    /** The highest limit. */
    public static final int MOST = 100_000;

    /** Begins the name of the limit of a queue. No other limit has such a name. */
    private static final String OF_QUEUE = "queue:";

    /** @throws IllegalArgumentException if the limit is not 1 to {@link #MOST} */
    public TaskLimit {
        if (max < 1 || max > MOST) {
            throw new IllegalArgumentException(
                    "max-running of the limit '" + name + "' is " + max + ", it must be 1 to " + MOST);
        }
    }

    /** Returns the limit of all tasks of a queue. */
    public static TaskLimit ofQueue(String queue, int max) {
        return new TaskLimit(nameOfQueue(queue), max, TaskPattern.ALL);
    }

    /** Returns the name of the limit of all tasks of a queue. */
    public static String nameOfQueue(String queue) {
        return OF_QUEUE + queue;
    }

    /** Returns whether a text can be the name of a limit that settings name. */
    public static boolean isName(String name) {
        return Partition.isName(name) && name.length() <= 100;
    }

    /** Returns whether all tasks of a queue are limited. */
    boolean coversAll() {
        return tasks.coversAll();
    }

    boolean covers(@Nullable String type, @Nullable String key) {
        return tasks.covers(type, key);
    }
}
