package dev.tandem.ordering;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import org.jspecify.annotations.Nullable;

/** One task in the owner's memory: delivered by the broker, or given by the store. */
final class TaskEntry {

    /** How far a delivered position is on its way to being settled. */
    enum DeliveryState {
        /** The broker has custody. */
        PENDING,
        /** The store took custody with request {@link TaskEntry#number}; settled when that is durable. */
        TAKEN_OVER,
        /** The store said with request {@link TaskEntry#number} that it is settled; judged again after lost writes. */
        REPORTED_SETTLED,
        /** Succeeded, and answered: settled. */
        SETTLED
    }

    final Position position;
    final @Nullable String key;
    /** What the source commits or acks it by; -1 when the store gave it. */
    final long sequence;
    /** Its offset in the bitmap; -1 if it has none. */
    final long bit;
    /** When it came, in relation to others of its partition. */
    long order;

    final int weight;
    final @Nullable String unreadable;
    /** Starts so far, by its envelope. */
    final int attempts;

    /** Null once nobody needs it any more. */
    @Nullable
    Task task;
    /** The store has its envelope. */
    boolean inStore;

    /** A queue: the broker delivered it before. */
    boolean redelivered;
    /** An unordered queue: all partitions were asked, and none knew it. */
    boolean recalled;
    /** A queue: its position is that of an earlier delivery. */
    boolean matched;
    /** A queue: it was taken for what this process runs, and could also be a twin of that. */
    boolean maybeTwin;
    /** A queue: it came again or was sent before. If it is judged anew, the store is asked first what became of it. */
    boolean adoptFirst;
    /** A queue: the channel that delivered it is gone, so it is certain to come again. */
    boolean owes;
    /** A queue: the page that remembers it; -1 if none does yet. */
    long page = -1;

    /** Its outcome was refused: another may have settled it. */
    boolean doubtful;

    DeliveryState mark = DeliveryState.PENDING;
    long number;

    TaskEntry(
            Position position,
            @Nullable String key,
            long sequence,
            long bit,
            long order,
            Task task,
            @Nullable String unreadable,
            int attempts,
            boolean inStore) {
        this.position = position;
        this.key = key;
        this.sequence = sequence;
        this.bit = bit;
        this.order = order;
        this.task = task;
        this.unreadable = unreadable;
        this.attempts = attempts;
        this.inStore = inStore;
        this.weight = task.weight();
    }

    /** What the store notes when it is settled: a log's bit, a queue's page. */
    long memo() {
        return bit >= 0 ? bit : page;
    }

    /** The same delivery, known to have had that position. */
    TaskEntry at(Position known) {
        TaskEntry same = new TaskEntry(known, key, sequence, bit, order, requireTask(), unreadable, attempts, inStore);
        same.redelivered = redelivered;
        same.matched = true;
        return same;
    }

    boolean tracked() {
        return sequence >= 0;
    }

    Task requireTask() {
        if (task == null) {
            throw new IllegalStateException("The task at " + position + " was let go of too early");
        }
        return task;
    }

    /** @param error why it ends without a run; null if it does not, or can't be read */
    byte[] envelope(@Nullable String error) {
        return new Envelope(requireTask(), attempts, 0, error == null ? unreadable : error).encode();
    }

    @Override
    public String toString() {
        return position + "(" + key + " " + mark + (inStore ? " held" : "") + ")";
    }
}
