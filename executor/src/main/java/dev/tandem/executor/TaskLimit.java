package dev.tandem.executor;

import dev.tandem.task.Partition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit of the tasks that run at once in all executors together. Immutable.
 *
 * @param name the same in all executors. Limits of one name are one limit, also of several queues
 * @param max the most tasks that run at once
 * @param types of which types; {@code *} in one stands for any text; none: of all
 * @param keys of which keys, likewise
 */
public record TaskLimit(String name, int max, List<String> types, List<String> keys) {

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
        types = List.copyOf(types);
        keys = List.copyOf(keys);
    }

    /** Returns the limit of all tasks of a queue. */
    public static TaskLimit ofQueue(String queue, int max) {
        return new TaskLimit(OF_QUEUE + queue, max, List.of(), List.of());
    }

    /** Returns whether a text can be the name of a limit that settings name. */
    public static boolean isName(String name) {
        return Partition.isName(name) && name.length() <= 100;
    }

    /** Returns whether all tasks of a queue are limited. */
    boolean coversAll() {
        return types.isEmpty() && keys.isEmpty();
    }

    boolean covers(@Nullable String type, @Nullable String key) {
        return matches(types, type) && matches(keys, key);
    }

    static boolean matches(List<String> patterns, @Nullable String text) {
        if (patterns.isEmpty()) {
            return true;
        }
        for (String pattern : patterns) {
            if (text != null && matches(pattern, text)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a text is as a pattern says, in which {@code *} stands for any text. */
    static boolean matches(String pattern, String text) {
        int at = 0;
        int star = -1;
        int retry = 0;
        int i = 0;
        while (i < text.length()) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                retry = i;
            } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(i)) {
                at++;
                i++;
            } else if (star >= 0) {
                at = star + 1;
                i = ++retry;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }
}
