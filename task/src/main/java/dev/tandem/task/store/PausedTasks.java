package dev.tandem.task.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a queue that operators have paused, beside the whole queue.
 *
 * @param types the types of which no task starts
 * @param keys the keys of which no task starts
 */
public record PausedTasks(Set<String> types, Set<String> keys) {

    /** The most types and keys of a queue that are paused at once. */
    public static final int MAX = 100;

    public static final PausedTasks NONE = new PausedTasks(Set.of(), Set.of());

    public PausedTasks {
        types = Set.copyOf(types);
        keys = Set.copyOf(keys);
    }

    /** Returns the tasks of one type. */
    public static PausedTasks ofType(String type) {
        return new PausedTasks(Set.of(type), Set.of());
    }

    /** Returns the tasks of one key. */
    public static PausedTasks ofKey(String key) {
        return new PausedTasks(Set.of(), Set.of(key));
    }

    public boolean isEmpty() {
        return types.isEmpty() && keys.isEmpty();
    }

    /** Returns whether a task is among these. @param type its own, or else the default of its queue */
    public boolean covers(@Nullable String type, @Nullable String key) {
        return type != null && types.contains(type) || key != null && keys.contains(key);
    }
}
