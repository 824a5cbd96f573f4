package dev.tandem.ordering.tracking;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of a message queue that are not settled. The cost of a call depends on what changes, not on what is held. */
public final class QueueTracker extends DeliveryTracker {

    /** An entry that is settled once the request is durable, unless its state depends on another request by then. */
    private record AwaitingDurability(long number, TaskEntry entry) {}

    private final Set<TaskEntry> entries = new LinkedHashSet<>();
    private final PriorityQueue<AwaitingDurability> awaiting =
            new PriorityQueue<>(Comparator.comparingLong(AwaitingDurability::number));
    private List<TaskEntry> settled = new ArrayList<>();

    /** @param shares null if the queue has no tenants */
    public QueueTracker(@Nullable TenantShares shares) {
        super(shares);
    }

    @Override
    public Collection<TaskEntry> entries() {
        return entries;
    }

    @Override
    void add(TaskEntry entry) {
        entries.add(entry);
    }

    @Override
    boolean isCounted(TaskEntry entry) {
        return entries.contains(entry);
    }

    @Override
    public void mark(TaskEntry entry, DeliveryState state, long number) {
        super.mark(entry, state, number);
        if (!entries.contains(entry)) {
            return;
        }
        if (isSettled(entry)) {
            settle(entry);
        } else if (!entry.isPending() && entry.stateNumber() != NEVER_DURABLE) {
            awaiting.add(new AwaitingDurability(entry.stateNumber(), entry));
        }
    }

    @Override
    public void durable(long number) {
        super.durable(number);
        while (!awaiting.isEmpty() && awaiting.peek().number() <= number) {
            TaskEntry entry = awaiting.remove().entry();
            if (isSettled(entry)) {
                settle(entry);
            }
        }
    }

    private void settle(TaskEntry entry) {
        if (entries.remove(entry)) {
            dropTask(entry);
            settled.add(entry);
        }
    }

    /** Takes the messages that were settled since the last call, to be acked. */
    public List<TaskEntry> takeSettled() {
        if (settled.isEmpty()) {
            return List.of();
        }
        List<TaskEntry> taken = settled;
        settled = new ArrayList<>();
        return taken;
    }

    @Override
    public boolean isUnacked(TaskEntry entry) {
        return entries.contains(entry);
    }

    @Override
    public boolean hasLaterThan(TaskEntry entry) {
        return entries.size() > 1;
    }

    /** A message takes the place of others in the consumer's prefetch for as long as it is unacked. */
    @Override
    public boolean holdsBackOthers(TaskEntry entry) {
        return hasLaterThan(entry);
    }

    @Override
    public void clear() {
        super.clear();
        awaiting.clear();
        settled = new ArrayList<>();
    }
}
