package dev.tandem.ordering;

import dev.tandem.ordering.Entry.Mark;
import dev.tandem.task.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The delivered positions of one assignment until the broker may forget them. A log commits the settled prefix of what
 * was delivered; a queue acks each.
 */
final class Tracker {

    private final Source.Kind kind;
    private final boolean onlyDurable;

    /** A log: all that is delivered and not in the committed prefix. A queue: what is not settled, roughly in order. */
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    private final List<Long> acks = new ArrayList<>();
    private long proven;
    private long nextSequence = -1;
    private int pending;
    private long bytes;

    Tracker(Source.Kind kind, boolean onlyDurable) {
        this.kind = kind;
        this.onlyDurable = onlyDurable;
    }

    void delivered(Entry entry) {
        entries.addLast(entry);
        pending++;
        bytes += entry.weight;
    }

    void position(long next) {
        nextSequence = next;
    }

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
    void letGo(Entry entry) {
        if (entry.task != null && entry.tracked()) {
            bytes -= entry.weight;
            entry.task = null;
        }
    }

    private boolean settled(Entry entry) {
        return switch (entry.mark) {
            case PENDING -> false;
            case HANDED, JUDGED -> entry.number <= proven || !onlyDurable;
            case DONE -> true;
        };
    }

    /** Moves over the settled prefix. Returns the offset that may be committed; -1 if nothing was delivered yet. */
    long prefix() {
        while (!entries.isEmpty() && settled(entries.getFirst())) {
            letGo(entries.removeFirst());
        }
        return entries.isEmpty() ? nextSequence : entries.getFirst().sequence;
    }

    /** A queue's newly settled messages, once. */
    List<Long> takeAcks() {
        entries.removeIf(entry -> {
            if (!settled(entry)) {
                return false;
            }
            letGo(entry);
            acks.add(entry.sequence);
            return true;
        });
        List<Long> taken = List.copyOf(acks);
        acks.clear();
        return taken;
    }

    boolean isLog() {
        return kind == Source.Kind.LOG;
    }

    /** Whether something is delivered and behind the given entry in a log. */
    boolean hasLaterThan(Entry entry) {
        return !entries.isEmpty() && entries.getLast() != entry;
    }

    /** What runs or ended here is not judged by what the store said of it, as long as that is not proven. */
    void unjudge(Entry entry) {
        if (entry.mark == Mark.JUDGED && entry.number > proven) {
            mark(entry, Mark.PENDING, 0);
        }
    }

    /** What the store called settled and is not proven: to be judged again. It is pending after this. */
    List<Entry> takeJudged() {
        List<Entry> judged = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.mark == Mark.JUDGED && entry.number > proven) {
                mark(entry, Mark.PENDING, 0);
                judged.add(entry);
            }
        }
        return judged;
    }

    /** Whether the broker has custody of a delivered offset. */
    boolean isPending(long sequence) {
        for (Entry entry : entries) {
            if (entry.sequence == sequence) {
                return entry.mark == Mark.PENDING;
            }
        }
        return false;
    }

    int pending() {
        return pending;
    }

    long bytes() {
        return bytes;
    }

    int size() {
        return entries.size();
    }

    void clear() {
        entries.clear();
        acks.clear();
        pending = 0;
        bytes = 0;
        nextSequence = -1;
    }
}
