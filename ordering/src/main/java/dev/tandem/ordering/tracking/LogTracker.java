package dev.tandem.ordering.tracking;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The records of a log that were delivered and are not settled. What is settled leaves memory wherever it lies, so memory is
 * bounded even while one record holds back the commit. Of records that were passed over only the offsets are kept.
 */
public final class LogTracker extends DeliveryTracker {

    /** The prefix of a log of which nothing was delivered yet. */
    public static final long NO_PREFIX = -1;

    /** Settled entries in the middle are removed when there are at least so many entries. */
    private static final int MIN_SWEPT = 1_024;

    private final ArrayDeque<TaskEntry> entries = new ArrayDeque<>();
    /** Records that were passed over and read again, by offset. */
    private final TreeMap<Long, TaskEntry> recalled = new TreeMap<>();

    private final OffsetSet passedOver = new OffsetSet();
    private int sweepAt = MIN_SWEPT;
    private long nextOffset = NO_PREFIX;
    /** The highest offset that was settled or taken over. */
    private long highestLetGo = NO_PREFIX;

    public LogTracker() {
        this(null);
    }

    /** @param shares counts what tenants have in memory; null if there are none */
    public LogTracker(@Nullable TenantShares shares) {
        super(shares);
    }

    @Override
    public Collection<TaskEntry> entries() {
        if (recalled.isEmpty()) {
            return entries;
        }
        List<TaskEntry> all = new ArrayList<>(recalled.values());
        all.addAll(entries);
        return all;
    }

    @Override
    void add(TaskEntry entry) {
        if (entries.size() >= sweepAt) {
            sweep();
        }
        entries.addLast(entry);
    }

    /** Removes what is settled. Costs little for each entry, since the next sweep waits until there are twice as many. */
    private void sweep() {
        entries.removeIf(this::letGo);
        sweepAt = Math.max(MIN_SWEPT, 2 * entries.size());
    }

    /** @return whether nothing is to be known of the entry any more */
    private boolean letGo(TaskEntry entry) {
        boolean over = entry.state() == DeliveryState.PASSED_OVER || isSettled(entry);
        if (over) {
            dropTask(entry);
        }
        return over;
    }

    @Override
    public void mark(TaskEntry entry, DeliveryState state, long number) {
        super.mark(entry, state, number);
        if (!entry.isTracked() || entry.isPending()) {
            return;
        }
        if (entry.state() != DeliveryState.PASSED_OVER) {
            highestLetGo = Math.max(highestLetGo, entry.sequence());
        }
        if (!recalled.isEmpty() && recalled.get(entry.sequence()) == entry && letGo(entry)) {
            recalled.remove(entry.sequence());
        }
    }

    @Override
    public void durable(long number) {
        super.durable(number);
        recalled.values().removeIf(this::letGo);
    }

    // ---- records that were passed over ----

    /** Keeps only the offset of a pending record. It must be read again. */
    public void passOver(TaskEntry entry) {
        passedOver.add(entry.sequence());
        mark(entry, DeliveryState.PASSED_OVER, 0);
        dropTask(entry);
    }

    /** Tracks a record that was passed over and has been read again. */
    public void recalled(TaskEntry entry) {
        passedOver.remove(entry.sequence());
        recalled.put(entry.sequence(), entry);
        count(entry);
    }

    /** The offsets that must be read again. */
    public OffsetSet passedOver() {
        return passedOver;
    }

    // ---- the committed prefix ----

    /** Notes the position behind all that was delivered. */
    public void deliveredUpTo(long next) {
        nextOffset = next;
    }

    /** Returns the offset behind all that was delivered, or {@link #NO_PREFIX}. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Returns the offset that may be committed, or {@link #NO_PREFIX}. Lets go of what is settled below it. */
    public long prefix() {
        while (!entries.isEmpty() && letGo(entries.getFirst())) {
            entries.removeFirst();
        }
        long prefix = entries.isEmpty() ? nextOffset : entries.getFirst().sequence();
        if (!recalled.isEmpty()) {
            prefix = Math.min(prefix, recalled.firstKey());
        }
        return passedOver.isEmpty() ? prefix : Math.min(prefix, passedOver.first());
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
    public boolean holdsBackOthers(TaskEntry entry) {
        return entry.sequence() < highestLetGo;
    }

    @Override
    public void clear() {
        super.clear();
        entries.clear();
        recalled.clear();
        passedOver.clear();
        sweepAt = MIN_SWEPT;
        nextOffset = NO_PREFIX;
        highestLetGo = NO_PREFIX;
    }
}
