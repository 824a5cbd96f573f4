package dev.tandem.executor;

import dev.tandem.task.LogText;
import dev.tandem.task.store.HandledTypes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The types of the tasks that this executor was given lately and has no handler for. Holds only some types, because a
 * publisher may send any number of them. Thread-safe.
 */
final class RecentUnhandledTypes {

    private static final int MAX_TYPES = 20;

    private static final int MAX_TYPE_LENGTH = 100;

    /** Longer than a task waits for its next try. */
    private static final long REMEMBERED_MILLIS = 60_000;

    /** The types, each with the time in milliseconds until which it is remembered. Guarded by this. */
    private final Map<String, Long> until = new LinkedHashMap<>();

    /** Notes a task's type. @return whether people should be told, because it is new */
    synchronized boolean note(String type, long nowMillis) {
        forget(nowMillis);
        if (until.size() >= MAX_TYPES && !until.containsKey(type)) {
            return false;
        }
        return until.put(type, nowMillis + REMEMBERED_MILLIS) == null;
    }

    private void forget(long nowMillis) {
        for (Iterator<Long> all = until.values().iterator(); all.hasNext(); ) {
            if (all.next() <= nowMillis) {
                all.remove();
            }
        }
    }

    /** Returns the types, in order, as they may be shown: on one line, and long ones cut. */
    synchronized SortedSet<String> types(long nowMillis) {
        forget(nowMillis);
        return until.keySet().stream()
                .map(type -> LogText.oneLine(type, MAX_TYPE_LENGTH))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the types as a list for people; null if there are none. */
    @Nullable
    String text(long nowMillis) {
        SortedSet<String> types = types(nowMillis);
        return types.isEmpty()
                ? null
                : types.stream().map(HandledTypes::describe).collect(Collectors.joining(", "));
    }
}
