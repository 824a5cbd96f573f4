package dev.tandem.ordering.lanes;

import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tasks that the store offered and that wait in memory, and those that are to be given back to it. */
public final class OfferedTasks {

    private final Map<Position, TaskEntry> waiting = new HashMap<>();
    private final ArrayDeque<TaskEntry> declined = new ArrayDeque<>();
    /** How many tasks of each key wait. */
    private final Map<String, Integer> keyed = new HashMap<>();

    private int unkeyed;
    private long bytes;

    OfferedTasks() {}

    public @Nullable TaskEntry find(Position position) {
        return waiting.get(position);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    public int count() {
        return waiting.size();
    }

    /** The size of the waiting tasks, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** How many of the waiting tasks could run at once, if none of their keys is busy or blocked: one of each key. */
    public int runnable(int readyKeys) {
        return unkeyed + Math.min(keyed.size(), readyKeys);
    }

    /** The keys of the waiting tasks, each once. */
    Set<String> keys() {
        Set<String> keys = new LinkedHashSet<>();
        for (TaskEntry entry : waiting.values()) {
            if (entry.key() != null) {
                keys.add(entry.key());
            }
        }
        return keys;
    }

    void add(TaskEntry entry) {
        TaskEntry before = waiting.put(entry.position(), entry);
        if (before != null) {
            count(before, -1);
        }
        count(entry, 1);
    }

    void forget(TaskEntry entry) {
        if (waiting.remove(entry.position(), entry)) {
            count(entry, -1);
        }
    }

    private void count(TaskEntry entry, int change) {
        bytes += (long) change * entry.weight();
        if (entry.key() == null) {
            unkeyed += change;
        } else if (keyed.merge(entry.key(), change, Integer::sum) == 0) {
            keyed.remove(entry.key());
        }
    }

    /** Gives a task back to the store, which is to offer it again later. */
    void decline(TaskEntry entry) {
        forget(entry);
        declined.addLast(entry);
    }

    /** Takes the tasks that are to be given back, at most so many. */
    List<TaskEntry> takeDeclined(int limit) {
        List<TaskEntry> taken = new ArrayList<>();
        while (taken.size() < limit && !declined.isEmpty()) {
            taken.add(declined.removeFirst());
        }
        return taken;
    }

    void clear() {
        waiting.clear();
        declined.clear();
        keyed.clear();
        unkeyed = 0;
        bytes = 0;
    }

    @Override
    public String toString() {
        return waiting.keySet().toString();
    }
}
