package dev.tandem.ordering.lanes;

import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tasks that the store offered and that wait in memory, and those that are to be given back to it. */
final class OfferedTasks {

    private final Map<Position, TaskEntry> waiting = new HashMap<>();
    private final ArrayDeque<TaskEntry> declined = new ArrayDeque<>();
    private long bytes;

    @Nullable
    TaskEntry find(Position position) {
        return waiting.get(position);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int count() {
        return waiting.size();
    }

    long bytes() {
        return bytes;
    }

    Collection<TaskEntry> all() {
        return waiting.values();
    }

    void add(TaskEntry entry) {
        TaskEntry before = waiting.put(entry.position(), entry);
        bytes += entry.weight() - (before == null ? 0 : before.weight());
    }

    void forget(TaskEntry entry) {
        if (waiting.remove(entry.position(), entry)) {
            bytes -= entry.weight();
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
        bytes = 0;
    }

    @Override
    public String toString() {
        return waiting.keySet().toString();
    }
}
