package dev.tandem.ordering;

import dev.tandem.ordering.Entry.Mark;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The delivered positions of one assignment until the broker may forget them. A log commits the settled prefix of what
 * was delivered; a queue acks each.
 */
abstract sealed class Tracker permits LogTracker, QueueTracker {

    private final boolean onlyDurable;
    private long proven;
    private int pending;
    private long bytes;

    Tracker(boolean onlyDurable) {
        this.onlyDurable = onlyDurable;
    }

    static Tracker of(Source.Kind kind, boolean onlyDurable) {
        return switch (kind) {
            case LOG -> new LogTracker(onlyDurable);
            case QUEUE -> new QueueTracker(onlyDurable);
        };
    }

    /** What is delivered and not let go of, in order. */
    abstract Collection<Entry> entries();

    abstract void add(Entry entry);

    /** Tracks another in the place of one that is pending. @return the other */
    Entry exchange(Entry entry, Entry other) {
        if (entries().remove(entry)) {
            add(other);
        }
        return other;
    }

    final void delivered(Entry entry) {
        add(entry);
        pending++;
        bytes += entry.weight;
    }

    /** A log's position behind what was delivered. */
    void position(long next) {}

    /** Sets the mark of a tracked entry; the number says which request it depends on. */
    void mark(Entry entry, Mark mark, long number) {
        if (!entry.tracked() || entry.mark == Mark.DONE) {
            return;
        }
        if (entry.mark == Mark.PENDING) {
            pending--;
        }
        if (mark == Mark.PENDING) {
            pending++;
        }
        entry.mark = mark;
        entry.number = number;
        if (mark == Mark.DONE) {
            letGo(entry);
        }
    }

    /** All requests up to this one are durable. */
    void proven(long number) {
        proven = Math.max(proven, number);
    }

    /** Nobody needs the task itself any more. */
    final void letGo(Entry entry) {
        if (entry.task != null && entry.tracked()) {
            bytes -= entry.weight;
            entry.task = null;
        }
    }

    final boolean settled(Entry entry) {
        return switch (entry.mark) {
            case PENDING -> false;
            case HANDED, JUDGED -> entry.number <= proven || !onlyDurable;
            case DONE -> true;
        };
    }

    /** A log: the offset that may be committed; -1 if nothing was delivered yet. A queue: always -1. */
    abstract long prefix();

    /** A queue's newly settled messages, once. A log: none. */
    abstract List<Entry> takeSettled();

    /** Whether the broker still waits for its ack. */
    abstract boolean isUnacked(Entry entry);

    abstract boolean isLog();

    /** Whether something was delivered behind the given entry (a queue: besides it) and is tracked. */
    abstract boolean hasLaterThan(Entry entry);

    /** What runs or ended here is not judged by what the store said of it, as long as that is not proven. */
    void unjudge(Entry entry) {
        if (entry.mark == Mark.JUDGED && entry.number > proven) {
            mark(entry, Mark.PENDING, 0);
        }
    }

    /** What the store called settled and is not proven: to be judged again. It is pending after this. */
    final List<Entry> takeJudged() {
        List<Entry> judged = new ArrayList<>();
        for (Entry entry : entries()) {
            if (entry.mark == Mark.JUDGED && entry.number > proven) {
                mark(entry, Mark.PENDING, 0);
                judged.add(entry);
            }
        }
        return judged;
    }

    /** Whether the broker has custody of a delivered offset. */
    final boolean isPending(long sequence) {
        for (Entry entry : entries()) {
            if (entry.sequence == sequence) {
                return entry.mark == Mark.PENDING;
            }
        }
        return false;
    }

    /** Whether the broker has custody of what was delivered and is at this position. */
    final boolean isPending(Position position) {
        for (Entry entry : entries()) {
            if (entry.position.equals(position)) {
                return entry.mark == Mark.PENDING;
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
