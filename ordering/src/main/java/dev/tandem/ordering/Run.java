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
    private volatile boolean outrun;

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
     * Whether a worker that picks the run up may start it. If not, it reports {@link
     * dev.tandem.task.Outcome.NotStarted}.
     *
     * @param now by the core's monotonic clock, in milliseconds
     */
    public boolean mayBegin(long now) {
        return !outrun && now < leaseUntil;
    }

    /** How long the claim is held for certain, by the core's monotonic clock, in milliseconds. */
    public long leaseUntil() {
        return leaseUntil;
    }

    void renewedUntil(long until) {
        leaseUntil = until;
    }

    /** Its claim is gone, so another run of its key may have begun under a higher token. */
    void lost(long now) {
        outrun = true;
        leaseUntil = Math.min(leaseUntil, now - 1);
    }

    /**
     * The claim stands again in a new ownership. What has begun goes on; what has not must not begin if the claim was not
     * held all the time.
     *
     * @param askedAt when the ownership was asked for
     */
    void heldAgain(long askedAt, long until) {
        outrun |= leaseUntil < askedAt;
        leaseUntil = until;
    }

    @Override
    public String toString() {
        return partition + " " + position + " attempt " + attempt;
    }
}
