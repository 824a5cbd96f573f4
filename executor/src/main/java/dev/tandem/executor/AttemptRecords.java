package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The records that one attempt keeps outside of its handler. Most tasks keep nothing, so the parts are made when they are needed. Thread-safe. */
final class AttemptRecords {

    /** How long an outcome waits for a checkpoint that its handler did not wait for. */
    private static final long SETTLE_NANOS = 1_000_000_000L;

    private final Run run;
    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final ProgressWriter writer;
    private volatile @Nullable AttemptCheckpoint checkpoint;
    private volatile @Nullable AttemptNotes notes;
    private volatile @Nullable AttemptFanOuts fanOuts;

    AttemptRecords(Run run, QueueSpec spec, ExecutorClock clock, ProgressWriter writer) {
        this.run = run;
        this.spec = spec;
        this.clock = clock;
        this.writer = writer;
    }

    synchronized AttemptCheckpoint checkpoint() {
        AttemptCheckpoint its = checkpoint;
        if (its == null) {
            BooleanSupplier isLeased = () -> clock.millis() <= run.leaseUntil();
            its = new AttemptCheckpoint(run, spec, isLeased);
            checkpoint = its;
        }
        return its;
    }

    synchronized AttemptNotes notes() {
        AttemptNotes its = notes;
        if (its == null) {
            its = new AttemptNotes(run, spec, writer, clock);
            notes = its;
        }
        return its;
    }

    synchronized AttemptFanOuts fanOuts() {
        AttemptFanOuts its = fanOuts;
        if (its == null) {
            its = new AttemptFanOuts(run, spec);
            fanOuts = its;
        }
        return its;
    }

    /** Returns whether its task turned out to be a copy of a subtask when it was about to fan out. */
    boolean isOfCopy() {
        AttemptFanOuts its = fanOuts;
        return its != null && its.isOfCopy();
    }

    /** Returns the future of what was last asked of the checkpoint; null if nothing was. */
    @Nullable
    CompletableFuture<?> lastOfCheckpoint() {
        AttemptCheckpoint its = checkpoint;
        return its == null ? null : its.last();
    }

    /** Returns whether the next run must find the task in its place: it has a checkpoint or a fan-out, as far as is known here. */
    boolean needPlace() {
        AttemptCheckpoint its = checkpoint;
        return fanOuts != null || its != null && its.exists();
    }

    /**
     * Ends what the handler noted. Progress is kept for people, and the next run goes on from the last checkpoint, so a save that is
     * under way is waited for, for a second after the end of the call at most. If the task has ended, nobody needs either.
     *
     * @param endedNanos when the call ended
     */
    void end(Outcome outcome, long endedNanos) {
        boolean ended = outcome instanceof Outcome.Succeeded
                || outcome instanceof Outcome.Duplicate
                || outcome instanceof Outcome.Expired
                || outcome instanceof Outcome.Cancelled;
        AttemptCheckpoint saved = checkpoint;
        if (saved != null) {
            if (!ended) {
                saved.settle(endedNanos + SETTLE_NANOS);
            }
            saved.end();
        }
        AttemptNotes its = notes;
        if (its != null && ended) {
            its.discard();
        }
        AttemptFanOuts streams = fanOuts;
        if (streams != null) {
            streams.ended(outcome);
        }
    }
}
