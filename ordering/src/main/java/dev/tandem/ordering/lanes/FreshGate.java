package dev.tandem.ordering.lanes;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Keeps back what may make the store hold more: starts of fresh tasks, which it must take if they fail, and parks. A fresh
 * task for which stored ones wait starts in any case, since they could not end before it.
 */
final class FreshGate {

    /** Lanes that could start or park their next task. */
    private final Set<Lane> lanes = new LinkedHashSet<>();
    /** Tasks without a key, in order. */
    private final ArrayDeque<TaskEntry> unkeyed = new ArrayDeque<>();

    private boolean open = true;

    boolean isOpen() {
        return open;
    }

    boolean isEmpty() {
        return lanes.isEmpty() && unkeyed.isEmpty();
    }

    ArrayDeque<TaskEntry> unkeyed() {
        return unkeyed;
    }

    /** Keeps a lane until the gate opens, unless something about the lane changes before. */
    void keep(Lane lane) {
        lanes.add(lane);
    }

    /**
     * Whether the next task of a lane that may start may be claimed. Otherwise keeps the lane.
     *
     * @param anyStored whether any task that the store has waits in memory
     */
    boolean admits(Lane lane, boolean anyStored) {
        boolean admitted = open || leadsStored(lane, anyStored);
        if (!admitted) {
            keep(lane);
        }
        return admitted;
    }

    private static boolean leadsStored(Lane lane, boolean anyStored) {
        TaskEntry next = lane.peek();
        boolean needed = next != null && (next.isInStore() || lane.isHead(next.position()));
        return needed || anyStored && lane.waiting().stream().anyMatch(TaskEntry::isInStore);
    }

    /** The same for a task without a key. */
    boolean admits(TaskEntry entry) {
        boolean admitted = open || entry.isInStore();
        if (!admitted) {
            unkeyed.addLast(entry);
        }
        return admitted;
    }

    void close() {
        open = false;
    }

    /** Opens the gate, and gives back what it kept: the tasks last first. */
    void open(Consumer<Lane> toLane, Consumer<TaskEntry> toUnkeyed) {
        open = true;
        lanes.forEach(toLane);
        lanes.clear();
        while (!unkeyed.isEmpty()) {
            toUnkeyed.accept(unkeyed.removeLast());
        }
    }

    /** Passes on the tasks that would be the next ones if the gate were open, at most so many of each kind. */
    void forSomeFirst(int most, Consumer<TaskEntry> receiver) {
        lanes.stream()
                .limit(most)
                .filter(Lane::mayStart)
                .flatMap(lane -> Stream.ofNullable(lane.peek()))
                .forEach(receiver);
        unkeyed.stream().limit(most).forEach(receiver);
    }

    void clear() {
        lanes.clear();
        unkeyed.clear();
    }
}
