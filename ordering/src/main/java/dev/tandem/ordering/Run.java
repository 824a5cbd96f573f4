package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;

/** One run of a task under its claim. The core makes it and renews it; a worker reads it. */
public final class Run {

    private final Partition partition;
    private final Position position;
    private final Task task;
    private final long token;
    private final int attempt;
    private final int lapses;
    private final long sequence;
    private volatile long leaseUntil;

    Run(
            Partition partition,
            Position position,
            Task task,
            long token,
            int attempt,
            int lapses,
            long sequence,
            long leaseUntil) {
        this.partition = partition;
        this.position = position;
        this.task = task;
        this.token = token;
        this.attempt = attempt;
        this.lapses = lapses;
        this.sequence = sequence;
        this.leaseUntil = leaseUntil;
    }

    public Partition partition() {
        return partition;
    }

    public Position position() {
        return position;
    }

    public Task task() {
        return task;
    }

    /** The fencing token: higher than that of every earlier claim of this key. */
    public long token() {
        return token;
    }

    /** 1 at the first start. */
    public int attempt() {
        return attempt;
    }

    /** How many of the starts since its last outcome ended with a lapsed lease: its executor died or was cut off. */
    public int lapses() {
        return lapses;
    }

    /** Kafka's offset in its incarnation; -1 if unknown or not from a log. */
    public long sequence() {
        return sequence;
    }

    /**
     * By the core's monotonic clock, in milliseconds. A worker that picks the run up later than this must not start it
     * and reports {@link dev.tandem.task.Outcome.NotStarted}.
     */
    public long leaseUntil() {
        return leaseUntil;
    }

    void renewedUntil(long until) {
        leaseUntil = until;
    }

    @Override
    public String toString() {
        return partition + " " + position + " attempt " + attempt;
    }
}
