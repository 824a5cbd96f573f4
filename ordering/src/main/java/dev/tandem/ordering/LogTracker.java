package dev.tandem.ordering;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;

/** A log: all that is delivered and not in the committed prefix. */
final class LogTracker extends DeliveryTracker {

    private final ArrayDeque<TaskEntry> entries = new ArrayDeque<>();
    private long nextSequence = -1;

    @Override
    Collection<TaskEntry> entries() {
        return entries;
    }

    @Override
    void add(TaskEntry entry) {
        entries.addLast(entry);
    }

    @Override
    void position(long next) {
        nextSequence = next;
    }

    @Override
    long prefix() {
        while (!entries.isEmpty() && settled(entries.getFirst())) {
            letGo(entries.removeFirst());
        }
        return entries.isEmpty() ? nextSequence : entries.getFirst().sequence;
    }

    @Override
    List<TaskEntry> takeSettled() {
        return List.of();
    }

    @Override
    boolean isUnacked(TaskEntry entry) {
        return false;
    }

    @Override
    boolean isLog() {
        return true;
    }

    @Override
    boolean hasLaterThan(TaskEntry entry) {
        return !entries.isEmpty() && entries.getLast() != entry;
    }

    @Override
    void clear() {
        super.clear();
        nextSequence = -1;
    }
}
