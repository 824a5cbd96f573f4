package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the tasks of a list. Null means any.
 *
 * @param key the ordering key
 * @param type the type as it is shown: the queue's handler for a task that names none
 * @param fingerprint that of the type and the last error
 */
record TaskFilter(
        @Nullable TaskState state,
        @Nullable String partition,
        @Nullable String key,
        @Nullable String type,
        @Nullable String fingerprint) {

    /** Returns what chooses among the tasks of the right state and partition; null if it takes all. */
    @Nullable
    Predicate<TaskInfo> chosen(String queue, QueueSettings settings) {
        return key == null && type == null && fingerprint == null
                ? null
                : task -> !views(queue, settings, Pauses.NONE, List.of(task)).isEmpty();
    }

    /** Returns the views of the chosen tasks. */
    List<Views.Task> views(String queue, QueueSettings settings, Pauses pauses, List<TaskInfo> tasks) {
        return tasks.stream()
                .filter(task -> state == null || task.state() == state)
                .filter(task -> partition == null || task.ref().partition().equals(partition))
                .filter(task -> key == null || key.equals(task.key()))
                .filter(task -> fingerprint == null
                        || task.envelope() != null && fingerprint.equals(ErrorFingerprint.of(task.envelope())))
                .map(task -> TaskViews.inList(queue, settings, pauses, task))
                .filter(task -> type == null || type.equals(task.type()))
                .toList();
    }
}
