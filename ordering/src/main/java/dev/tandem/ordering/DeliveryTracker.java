package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The delivered positions of one assignment until the broker may forget them. A log commits the settled prefix of what
 * was delivered; a queue acks each.
 */
abstract sealed class DeliveryTracker permits LogTracker, QueueTracker {

    private long proven;
    private int pending;
    private long bytes;

    static DeliveryTracker of(Source.Kind kind) {
        return switch (kind) {
            case LOG -> new LogTracker();
            case QUEUE -> new QueueTracker();
        };
    }

    /** What is delivered and not let go of, in order. */
    abstract Collection<TaskEntry> entries();

    abstract void add(TaskEntry entry);

    /** Tracks another in the place of one that is pending. @return the other */
    TaskEntry exchange(TaskEntry entry, TaskEntry other) {
        if (entries().remove(entry)) {
            add(other);
        }
        return other;
    }

    final void delivered(TaskEntry entry) {
        add(entry);
        pending++;
        bytes += entry.weight;
    }

    /** A log's position behind what was delivered. */
    void position(long next) {}

    /** Sets the mark of a tracked entry; the number says which request it depends on. */
    void mark(TaskEntry entry, DeliveryState mark, long number) {
        if (!entry.tracked() || entry.mark == DeliveryState.SETTLED) {
            return;
        }
        if (entry.mark == DeliveryState.PENDING) {
            pending--;
        }
        if (mark == DeliveryState.PENDING) {
            pending++;
        }
        entry.mark = mark;
        entry.number = number;
        if (mark == DeliveryState.SETTLED) {
            letGo(entry);
        }
    }

    /** All requests up to this one are durable. */
    void proven(long number) {
        proven = Math.max(proven, number);
    }

    /** Nobody needs the task itself any more. */
    final void letGo(TaskEntry entry) {
        if (entry.task != null && entry.tracked()) {
            bytes -= entry.weight;
            entry.task = null;
        }
    }

    final boolean settled(TaskEntry entry) {
        return switch (entry.mark) {
            case PENDING -> false;
            case TAKEN_OVER, REPORTED_SETTLED -> entry.number <= proven;
            case SETTLED -> true;
        };
    }

    /** A log: the offset that may be committed; -1 if nothing was delivered yet. A queue: always -1. */
    abstract long prefix();

    /** A queue's newly settled messages, once. A log: none. */
    abstract List<TaskEntry> takeSettled();

    /** Whether the broker still waits for its ack. */
    abstract boolean isUnacked(TaskEntry entry);

    abstract boolean isLog();

    /** Whether something was delivered behind the given entry (a queue: besides it) and is tracked. */
    abstract boolean hasLaterThan(TaskEntry entry);

    /** What runs or ended here is not judged by what the store said of it, as long as that is not proven. */
    void unjudge(TaskEntry entry) {
        if (entry.mark == DeliveryState.REPORTED_SETTLED && entry.number > proven) {
            mark(entry, DeliveryState.PENDING, 0);
        }
    }

    /** What the store called settled and is not proven: to be judged again. It is pending after this. */
    final List<TaskEntry> takeJudged() {
        List<TaskEntry> judged = new ArrayList<>();
        for (TaskEntry entry : entries()) {
            if (entry.mark == DeliveryState.REPORTED_SETTLED && entry.number > proven) {
                mark(entry, DeliveryState.PENDING, 0);
                judged.add(entry);
            }
        }
        return judged;
    }

    /** Whether the broker has custody of a delivered offset. */
    final boolean isPending(long sequence) {
        for (TaskEntry entry : entries()) {
            if (entry.sequence == sequence) {
                return entry.mark == DeliveryState.PENDING;
            }
        }
        return false;
    }

    /** Whether the broker has custody of what was delivered and is at this position. */
    final boolean isPending(Position position) {
        for (TaskEntry entry : entries()) {
            if (entry.position.equals(position)) {
                return entry.mark == DeliveryState.PENDING;
            }
        }
        return false;
    }

    final int pending() {
        return pending;
    }

    final long bytes() {
        return bytes;
    }

    final int size() {
        return entries().size();
    }

    void clear() {
        entries().clear();
        pending = 0;
        bytes = 0;
    }
}
