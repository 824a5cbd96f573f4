package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of a task under its claim. The core makes and renews it, a worker reads it. Thread-safe. */
public final class Run {

    private final Partition partition;
    private final Position position;
    private final Task task;
    private final long token;
    private final int attempt;
    private final int lapses;
    private final long sequence;
    private volatile long leaseUntil;
    /** Whether the claim was lost for a time, so that the run must not begin any more. */
    private volatile boolean interrupted;

    private volatile boolean cancelled;
    /** Set before a worker gets the run. */
    private @Nullable Row row;

    private int placeInRow;
    /** Set by the worker before it reports the end. */
    private long startedAt;

    private long durationMillis;

    private @Nullable String result;

    private Map<String, Long> fanOuts = Map.of();
    /** Whether the core knows the end already. Used by the core's thread only. */
    private boolean over;

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

    /** How many starts since the task's last outcome ended with a lapsed lease: the executor died or was cut off. */
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
        return !interrupted && now < leaseUntil;
    }

    /** Whether its task has been cancelled, so that its handler must not begin: the task ends without a run. */
    public boolean isCancelled() {
        return cancelled;
    }

    void cancel() {
        cancelled = true;
    }

    /**
     * Begins the run that follows on the same worker. To be called once, when this run has succeeded, and before its outcome
     * is reported.
     *
     * @param now by the core's monotonic clock, in milliseconds
     * @return null if the core must decide what comes next
     */
    public @Nullable Run beginNext(long now) {
        return row == null ? null : row.beginAfter(placeInRow, now);
    }

    /**
     * Records when the handler ran and for how long, for people. To be called before the outcome is reported.
     *
     * @param startedAt epoch milliseconds
     */
    public void recordTiming(long startedAt, long durationMillis) {
        this.startedAt = startedAt;
        this.durationMillis = durationMillis;
    }

    /** Records what the handler returned, as JSON. To be called before the outcome is reported. */
    public void recordResult(@Nullable String json) {
        result = json;
    }

    /**
     * Records the fan-outs to which the handler came. To be called before the outcome is reported.
     *
     * @param keptUntil until when each is kept at least, in epoch milliseconds, by its id
     */
    public void recordFanOuts(Map<String, Long> keptUntil) {
        fanOuts = Map.copyOf(keptUntil);
    }

    Map<String, Long> fanOuts() {
        return fanOuts;
    }

    @Nullable
    String result() {
        return result;
    }

    /** When the handler began, in epoch milliseconds; 0 if it did not. */
    public long startedAt() {
        return startedAt;
    }

    public long durationMillis() {
        return durationMillis;
    }

    void inRow(Row its, int place) {
        row = its;
        placeInRow = place;
    }

    @Nullable
    Row row() {
        return row;
    }

    boolean isOver() {
        return over;
    }

    /** Notes that the core has learned of the end from the row. */
    void over() {
        over = true;
    }

    /** Goes on under the claim of the run before it, which may have been renewed or lost since this one was made. */
    void follows(Run before) {
        interrupted |= before.interrupted;
        leaseUntil = before.leaseUntil;
    }

    /** Until when the claim is certainly held, by the core's monotonic clock, in milliseconds. */
    public long leaseUntil() {
        return leaseUntil;
    }

    void renewedUntil(long until) {
        leaseUntil = until;
    }

    /** Notes that the claim is gone. Another run of the key may have begun under a higher token. */
    void lost(long now) {
        if (row == null) {
            claimLost(now);
        } else {
            row.lost(now);
        }
    }

    void claimLost(long now) {
        interrupted = true;
        leaseUntil = Math.min(leaseUntil, now - 1);
    }

    /**
     * Notes that the claim holds again in a new ownership. A run that has begun goes on. One that has not must not begin if
     * the claim was not held all the time.
     *
     * @param askedAt when the ownership was asked for
     */
    void heldAgain(long askedAt, long until) {
        interrupted |= leaseUntil < askedAt;
        leaseUntil = until;
    }

    @Override
    public String toString() {
        return partition + " " + position + " attempt " + attempt;
    }
}
