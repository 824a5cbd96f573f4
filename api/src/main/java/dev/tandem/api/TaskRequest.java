package dev.tandem.api;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task to submit. Immutable: the {@code with} methods return changed copies.
 *
 * @param queue the queue's name
 * @param type the name of the handler that runs the task; null means the queue's default handler
 * @param key the key that orders the task; null means that it has no order
 * @param payload what the handler gets: bytes and text as they are, any other object as JSON, null as an empty payload
 * @param options delay, timeout and whatever else is not the default
 * @param <T> what the handler returns
 */
public record TaskRequest<T>(
        String queue,
        @Nullable String type,
        @Nullable String key,
        @Nullable Object payload,
        TaskOptions options) {

    public TaskRequest {
        Objects.requireNonNull(queue, "The task has no queue: give the name of one");
        Objects.requireNonNull(options, "options");
    }

    /** Returns a task without a key and options. */
    public static TaskRequest<?> of(String queue, String type, @Nullable Object payload) {
        return new TaskRequest<>(queue, type, null, payload, TaskOptions.NONE);
    }

    /** Returns this task with a key: the tasks of a key run one at a time, in the order in which they were submitted. */
    public TaskRequest<T> withKey(@Nullable String value) {
        return new TaskRequest<>(queue, type, value, payload, options);
    }

    /** Returns this task with more options. Those that are given later count. */
    public TaskRequest<T> with(TaskOptions... more) {
        TaskOptions all = options;
        for (TaskOptions each : more) {
            all = all.and(each);
        }
        return new TaskRequest<>(queue, type, key, payload, all);
    }

    /** Leaves out the payload, which may be secret, and the options. */
    @Override
    public String toString() {
        return "TaskRequest[queue=" + queue + ", type=" + type + ", key=" + key + "]";
    }
}
