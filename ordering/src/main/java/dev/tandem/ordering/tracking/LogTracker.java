package dev.tandem.ordering.tracking;

import dev.tandem.ordering.lanes.TaskEntry;
import java.util.ArrayDeque;
import java.util.Collection;

/** The records of a log that were delivered and are not in the committed prefix. */
public final class LogTracker extends DeliveryTracker {

    /** The prefix of a log of which nothing was delivered yet. */
    public static final long NO_PREFIX = -1;

    private final ArrayDeque<TaskEntry> entries = new ArrayDeque<>();
    private long nextOffset = NO_PREFIX;

    @Override
    public Collection<TaskEntry> entries() {
        return entries;
    }

    @Override
    void add(TaskEntry entry) {
        entries.addLast(entry);
    }

    /** Notes the position behind all that was delivered. */
    public void deliveredUpTo(long next) {
        nextOffset = next;
    }

    /** Returns the offset that may be committed, or {@link #NO_PREFIX}. Lets go of what is settled below it. */
    public long prefix() {
        while (!entries.isEmpty() && isSettled(entries.getFirst())) {
            dropTask(entries.removeFirst());
        }
        return entries.isEmpty() ? nextOffset : entries.getFirst().sequence();
    }

    @Override
    public boolean isUnacked(TaskEntry entry) {
        return false;
    }

    @Override
    public boolean hasLaterThan(TaskEntry entry) {
        return !entries.isEmpty() && entries.getLast() != entry;
    }

    @Override
    public void clear() {
        super.clear();
        nextOffset = NO_PREFIX;
    }
}
