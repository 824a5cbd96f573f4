package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the owner knows of one key: its tasks in memory, and whether the store blocks it. */
final class Lane {

    final String key;
    /** In memory and not on the way to the store, by {@link TaskEntry#order}. */
    final ArrayDeque<TaskEntry> queue = new ArrayDeque<>();
    /** Claimed, or being claimed; until its outcome is sent. */
    @Nullable
    TaskEntry busy;
    /** Its claim has no answer yet. The store may have claimed another of this key first, and then this comes back. */
    @Nullable
    TaskEntry claiming;
    /** Parks, adoptions and burials on their way. Until they are answered nothing of this key starts or is parked. */
    int handing;
    /** Tasks of this key must be parked; a guess that the store's answers correct. */
    boolean blocked;
    /** What blocks it, where known. */
    @Nullable
    Position head;
    /** The store has no room for more; tried again later. */
    boolean full;
    /** In the list of lanes to look at. */
    boolean listed;
    /** Outcomes of relayed runs without an answer. Each may be refused, and comes before what waits then. */
    int ahead;

    Lane(String key) {
        this.key = key;
    }

    boolean mayStart() {
        if (busy != null || claiming != null || handing > 0 || queue.isEmpty()) {
            return false;
        }
        return !blocked || queue.getFirst().position.equals(head);
    }

    /** What is being claimed has its place before all that waits; it may come back to be parked itself. */
    boolean mayPark() {
        return blocked
                && handing == 0
                && ahead == 0
                && (busy == null || busy.position.equals(head))
                && (claiming == null || claiming.position.equals(head))
                && !full
                && !queue.isEmpty()
                && !queue.getFirst().position.equals(head);
    }

    boolean forgettable() {
        return busy == null && claiming == null && handing == 0 && ahead == 0 && !blocked && queue.isEmpty();
    }

    /** All wait for this position; if it is in memory, it is the next. */
    void block(Position by) {
        blocked = true;
        head = by;
        for (TaskEntry entry : queue) {
            if (entry.position.equals(by)) {
                queue.remove(entry);
                queue.addFirst(entry);
                return;
            }
        }
    }

    void open() {
        blocked = false;
        head = null;
        full = false;
    }

    /** Puts an entry to its place by order; the head of a blocked key goes first, for all others wait for it. */
    void add(TaskEntry entry) {
        if (blocked && entry.position.equals(head)) {
            queue.addFirst(entry);
        } else if (queue.isEmpty() || queue.getLast().order < entry.order) {
            queue.addLast(entry);
        } else if (entry.order < queue.getFirst().order) {
            queue.addFirst(entry);
        } else {
            List<TaskEntry> all = new ArrayList<>(queue);
            all.add(entry);
            all.sort(Comparator.comparingLong(e -> e.order));
            queue.clear();
            queue.addAll(all);
        }
    }

    /** Takes the entries to be parked, at most {@code limit}, leaving the head of the key. */
    List<TaskEntry> takeForParking(int limit) {
        List<TaskEntry> taken = new ArrayList<>();
        while (taken.size() < limit
                && !queue.isEmpty()
                && !queue.getFirst().position.equals(head)) {
            taken.add(queue.removeFirst());
        }
        return taken;
    }

    @Override
    public String toString() {
        return key + (blocked ? " blocked by " + head : " hot") + " busy=" + busy + " handing=" + handing + queue;
    }
}
