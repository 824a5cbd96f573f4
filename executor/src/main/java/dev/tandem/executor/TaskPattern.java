package dev.tandem.executor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a queue that a limit or a rate limit covers. Immutable.
 *
 * @param types of which types; {@code *} in one stands for any text; none: of all
 * @param keys of which keys, likewise
 */
public record TaskPattern(List<String> types, List<String> keys) {

    /** All tasks. */
    public static final TaskPattern ALL = new TaskPattern(List.of(), List.of());

    public TaskPattern {
        types = List.copyOf(types);
        keys = List.copyOf(keys);
    }

    boolean coversAll() {
        return types.isEmpty() && keys.isEmpty();
    }

    /** Returns whether a task is covered. @param type its own, or else the default of its queue */
    boolean covers(@Nullable String type, @Nullable String key) {
        return matches(types, type) && matches(keys, key);
    }

    private static boolean matches(List<String> patterns, @Nullable String text) {
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
