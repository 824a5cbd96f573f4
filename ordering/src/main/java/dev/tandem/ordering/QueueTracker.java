package dev.tandem.ordering;

import dev.tandem.ordering.Entry.Mark;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/** A queue: what is not settled, roughly in order. What it costs follows what changes, not what is held. */
final class QueueTracker extends Tracker {

    /** An entry that is settled once the request of this number is durable, if it still depends on it then. */
    private record Awaiting(long number, Entry entry) {}

    private final Set<Entry> entries = new LinkedHashSet<>();
    private final PriorityQueue<Awaiting> awaiting = new PriorityQueue<>(Comparator.comparingLong(Awaiting::number));
    private List<Entry> settled = new ArrayList<>();

    QueueTracker(boolean onlyDurable) {
        super(onlyDurable);
    }

    @Override
    Collection<Entry> entries() {
        return entries;
    }

    @Override
    void add(Entry entry) {
        entries.add(entry);
    }

    @Override
    void mark(Entry entry, Mark mark, long number) {
        super.mark(entry, mark, number);
        if (!entries.contains(entry)) {
            return;
        }
        if (settled(entry)) {
            settle(entry);
        } else if (entry.mark != Mark.PENDING && entry.number != Long.MAX_VALUE) {
            awaiting.add(new Awaiting(entry.number, entry));
        }
    }

    @Override
    void proven(long number) {
        super.proven(number);
        while (!awaiting.isEmpty() && awaiting.peek().number() <= number) {
            Entry entry = awaiting.remove().entry();
            if (settled(entry)) {
                settle(entry);
            }
        }
    }

    private void settle(Entry entry) {
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
    List<Entry> takeSettled() {
        if (settled.isEmpty()) {
            return List.of();
        }
        List<Entry> taken = settled;
        settled = new ArrayList<>();
        return taken;
    }

    @Override
    boolean isUnacked(Entry entry) {
        return entries.contains(entry);
    }

    @Override
    boolean isLog() {
        return false;
    }

    @Override
    boolean hasLaterThan(Entry entry) {
        return entries.size() > 1;
    }

    @Override
    void clear() {
        super.clear();
        awaiting.clear();
        settled = new ArrayList<>();
    }
}
