package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/** A queue: what is not settled, roughly in order. What it costs follows what changes, not what is held. */
final class QueueTracker extends DeliveryTracker {

    /** An entry that is settled once the request of this number is durable, if it still depends on it then. */
    private record Awaiting(long number, TaskEntry entry) {}

    private final Set<TaskEntry> entries = new LinkedHashSet<>();
    private final PriorityQueue<Awaiting> awaiting = new PriorityQueue<>(Comparator.comparingLong(Awaiting::number));
    private List<TaskEntry> settled = new ArrayList<>();

    @Override
    Collection<TaskEntry> entries() {
        return entries;
    }

    @Override
    void add(TaskEntry entry) {
        entries.add(entry);
    }

    @Override
    void mark(TaskEntry entry, DeliveryState mark, long number) {
        super.mark(entry, mark, number);
        if (!entries.contains(entry)) {
            return;
        }
        if (settled(entry)) {
            settle(entry);
        } else if (entry.mark != DeliveryState.PENDING && entry.number != Long.MAX_VALUE) {
            awaiting.add(new Awaiting(entry.number, entry));
        }
    }

    @Override
    void proven(long number) {
        super.proven(number);
        while (!awaiting.isEmpty() && awaiting.peek().number() <= number) {
            TaskEntry entry = awaiting.remove().entry();
            if (settled(entry)) {
                settle(entry);
            }
        }
    }

    private void settle(TaskEntry entry) {
        if (entries.remove(entry)) {
            letGo(entry);
            settled.add(entry);
        }
    }

    @Override
    long prefix() {
        return -1;
    }

    @Override
    List<TaskEntry> takeSettled() {
        if (settled.isEmpty()) {
            return List.of();
        }
        List<TaskEntry> taken = settled;
        settled = new ArrayList<>();
        return taken;
    }

    @Override
    boolean isUnacked(TaskEntry entry) {
        return entries.contains(entry);
    }

    @Override
    boolean isLog() {
        return false;
    }

    @Override
    boolean hasLaterThan(TaskEntry entry) {
        return entries.size() > 1;
    }

    @Override
    void clear() {
        super.clear();
        awaiting.clear();
        settled = new ArrayList<>();
    }
}
