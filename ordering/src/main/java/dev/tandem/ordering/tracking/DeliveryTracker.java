package dev.tandem.ordering.tracking;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The delivered tasks of one assignment until the broker may forget them. A log commits the settled prefix of what was
 * delivered; a message queue acks each message.
 */
public abstract sealed class DeliveryTracker permits LogTracker, QueueTracker {

    /** The number of a request that no answer can prove durable. */
    public static final long NEVER_DURABLE = Long.MAX_VALUE;

    /** Null if the queue has no tenants. */
    private final @Nullable TenantShares shares;

    private long durableUpTo;
    private int pending;
    private long bytes;

    DeliveryTracker(@Nullable TenantShares shares) {
        this.shares = shares;
    }

    /** What tenants have in memory. Null if there are none. */
    public final @Nullable TenantShares shares() {
        return shares;
    }

    /** The delivered entries that are still tracked, in order. */
    public abstract Collection<TaskEntry> entries();

    abstract void add(TaskEntry entry);

    /**
     * Tracks another entry in the place of a pending one.
     *
     * @return the other
     */
    public TaskEntry exchange(TaskEntry entry, TaskEntry other) {
        if (entries().remove(entry)) {
            add(other);
        }
        return other;
    }

    public final void delivered(TaskEntry entry) {
        add(entry);
        count(entry);
    }

    final void count(TaskEntry entry) {
        pending++;
        bytes += entry.weight();
        if (shares != null) {
            shares.add(entry);
        }
    }

    /** Sets the state of a tracked entry. {@code number} is the request on which it depends. */
    public void mark(TaskEntry entry, DeliveryState state, long number) {
        if (!entry.isTracked() || entry.state() == DeliveryState.SETTLED) {
            return;
        }
        boolean was = entry.isPending();
        boolean is = state == DeliveryState.PENDING;
        pending += (is ? 1 : 0) - (was ? 1 : 0);
        if (shares != null && was != is && isCounted(entry)) {
            if (is) {
                shares.add(entry);
            } else {
                shares.remove(entry);
            }
        }
        entry.state(state, number);
        if (state == DeliveryState.SETTLED) {
            dropTask(entry);
        }
    }

    /** Whether a tracked entry is among those that are counted: it was not exchanged for another one. */
    boolean isCounted(TaskEntry entry) {
        return true;
    }

    /** To be called when all requests up to {@code number} are durable. */
    public void durable(long number) {
        durableUpTo = Math.max(durableUpTo, number);
    }

    /** Drops the task itself from memory. Its position stays tracked. */
    public final void dropTask(TaskEntry entry) {
        if (entry.hasTask() && entry.isTracked()) {
            bytes -= entry.weight();
            entry.dropTask();
        }
    }

    final boolean isSettled(TaskEntry entry) {
        return switch (entry.state()) {
            case PENDING, PASSED_OVER -> false;
            case TAKEN_OVER, REPORTED_SETTLED -> entry.stateNumber() <= durableUpTo;
            case SETTLED -> true;
        };
    }

    /** Whether the broker still waits for the ack of the message. Never in a log. */
    public abstract boolean isUnacked(TaskEntry entry);

    /** Whether something was delivered behind the given entry (in a message queue: besides it) and is tracked. */
    public abstract boolean hasLaterThan(TaskEntry entry);

    /** Whether the broker could forget something that was delivered later, if it were not for the given entry. */
    public abstract boolean holdsBackOthers(TaskEntry entry);

    private boolean isReportedOnly(TaskEntry entry) {
        return entry.state() == DeliveryState.REPORTED_SETTLED && entry.stateNumber() > durableUpTo;
    }

    /** Makes an entry pending again whose report of being settled is not proven, since it runs or has ended here. */
    public void forgetReport(TaskEntry entry) {
        if (isReportedOnly(entry)) {
            mark(entry, DeliveryState.PENDING, 0);
        }
    }

    /** Makes pending all entries whose report of being settled is not proven. Returns them, to be routed again. */
    public final List<TaskEntry> takeReported() {
        List<TaskEntry> reported = new ArrayList<>();
        for (TaskEntry entry : entries()) {
            if (isReportedOnly(entry)) {
                mark(entry, DeliveryState.PENDING, 0);
                reported.add(entry);
            }
        }
        return reported;
    }

    /** Whether the broker has custody of a delivered offset. */
    public final boolean isPending(long sequence) {
        for (TaskEntry entry : entries()) {
            if (entry.sequence() == sequence) {
                return entry.isPending();
            }
        }
        return false;
    }

    /** Whether the broker has custody of what was delivered and is at this position. */
    public final boolean isPending(Position position) {
        for (TaskEntry entry : entries()) {
            if (entry.position().equals(position)) {
                return entry.isPending();
            }
        }
        return false;
    }

    /** How many delivered tasks the broker has custody of. */
    public final int pending() {
        return pending;
    }

    /** The size in memory of the delivered tasks, in bytes. */
    public final long bytes() {
        return bytes;
    }

    public final int size() {
        return entries().size();
    }

    public void clear() {
        entries().clear();
        pending = 0;
        bytes = 0;
        if (shares != null) {
            shares.clear();
        }
    }
}
