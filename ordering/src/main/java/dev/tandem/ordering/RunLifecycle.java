package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Outcome;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.UnhandledSince;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import org.jspecify.annotations.Nullable;

/** Starts tasks under their claims, and turns their ends into outcomes. */
final class RunLifecycle {

    private static final String CANCELLED_WHILE_IT_RAN = "cancelled by an operator while it ran";

    final Relays relays;

    private final PartitionState state;

    RunLifecycle(PartitionState state) {
        this.state = state;
        this.relays = new Relays(state, this::takeEnd);
    }

    // ---- start ----

    /** Starts a task under its claim. {@code lapses}: starts that ended with a lapsed lease, which count as attempts. */
    void start(TaskEntry entry, long claimToken, int lapses, long sentAt) {
        Run run = new Run(
                state.partition,
                entry.position(),
                entry.requireTask(),
                claimToken,
                entry.attempts() + lapses + 1,
                lapses,
                entry.offset(),
                state.leasedUntil(sentAt));
        entry.mayBeDeclined(false);
        if (entry.isCancelled()) {
            run.cancel();
        }
        state.active.add(ActiveRun.claimed(run, entry, state.now()));
        if (entry.key() != null) {
            Lane lane = state.lanes.lane(entry.key());
            lane.busyWith(entry);
            if (lapses > 0) {
                lane.claimOneByOne(state.settings.relaysAhead());
            }
        }
        if (state.ownership.isOwned()) {
            state.context.start(run);
        } else {
            finished(run, Outcome.NotStarted.INSTANCE);
        }
    }

    // ---- end ----

    void finished(Run run, Outcome outcome) {
        if (run.isOver()) {
            return;
        }
        Row row = run.row();
        @Nullable Run next = row == null ? null : row.begunNext();
        if (row != null && next == null) {
            relays.putBackRest(row);
        }
        takeEnd(run, outcome, next);
    }

    /**
     * Takes in that a run has ended.
     *
     * @param next the run of the key's next task that has begun by itself, or null
     */
    private void takeEnd(Run run, Outcome outcome, @Nullable Run next) {
        if (outcome instanceof Outcome.NotStarted) {
            state.context.slots.giveUnused(1);
        } else {
            state.context.slots.ended();
            state.context.ran();
        }
        ActiveRun active = state.active.remove(run);
        String key = state.context.keyOf(run.task());
        TaskEntry entry = endedEntry(active, run, key, outcome);
        long relayedFrom = active == null ? 0 : active.relayedFrom();
        PendingOutcome ended =
                new PendingOutcome(entry, run.token(), run.attempt(), verdict(run, key, outcome), relayedFrom);
        if (run.task().headers().containsKey(TaskHeaders.DEPENDS_ON)) {
            ended.reportWhenRecorded();
        }
        if (active == null || !active.isOwned() && !mayBeOursAgain()) {
            state.late.add(ended, state.broker.incarnation());
            return;
        }
        state.work.withdrawAdoption(entry);
        state.work.ended(ended);
        Lane lane = state.lanes.find(entry.key());
        if (lane != null && !(outcome instanceof Outcome.NotStarted)) {
            lane.taskEnded();
        }
        if (next != null) {
            relays.goOn(active, lane, ended, next);
        } else if (lane != null && relays.mayRelay(active, lane, ended)) {
            relays.relay(active, lane, ended);
        }
        if (lane != null && ended.isRelayed()) {
            lane.relayedOutcomeQueued();
        }
        if (!entry.isTracked() && state.broker.mayBeDelivered(entry)) {
            state.work.keepForDelivery(ended);
        }
    }

    private TaskEntry endedEntry(@Nullable ActiveRun active, Run run, @Nullable String key, Outcome outcome) {
        TaskEntry entry = active == null ? null : active.entry();
        if (entry == null) {
            entry = state.ofRun(run, key);
        }
        boolean deliveryEnds = !entry.hasTask() || entry.isTracked() && !entry.isPending();
        if (deliveryEnds && outcome instanceof Outcome.NotStarted) {
            entry = withoutDelivery(entry, run);
        }
        if (active != null && active.awaitsRedelivery()) {
            entry.awaitsRedelivery(true);
        }
        return entry;
    }

    /** Returns an entry of a task that waits for its turn again, though its delivery is let go of since the store has it. */
    private TaskEntry withoutDelivery(TaskEntry entry, Run run) {
        TaskEntry waiting = state.ofRun(run, entry.key());
        waiting.order(entry.order());
        Lane lane = state.lanes.find(entry.key());
        if (lane != null) {
            lane.replaceBusy(entry, waiting);
        }
        return waiting;
    }

    /**
     * Whether the run's claim may be given back with the next ownership. In a log its outcome does not wait for the broker to
     * say whether there will be one.
     */
    private boolean mayBeOursAgain() {
        return state.broker.isLeased()
                && (state.ownership.isWaiting() || state.ownership.isConfirming() || state.ownership.isAcquiring());
    }

    private Verdict verdict(Run run, @Nullable String key, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            return new Verdict.Retry(retry.delayMillis(), failed(run, retry.error()));
        }
        if (outcome instanceof Outcome.Unhandled unhandled) {
            return new Verdict.Retry(unhandled.delayMillis(), unhandled(run, unhandled));
        }
        if (outcome instanceof Outcome.Snoozed snoozed) {
            return new Verdict.Retry(snoozed.delayMillis(), snoozed(run, snoozed));
        }
        if (outcome instanceof Outcome.Dead dead) {
            DeadHead policy = key == null ? DeadHead.SKIP : state.context.policy.deadHead();
            return new Verdict.Dead(policy, failed(run, dead.error()));
        }
        if (outcome instanceof Outcome.Expired expired) {
            return new Verdict.Success(expired(run, expired));
        }
        if (outcome instanceof Outcome.Cancelled cancelled) {
            return new Verdict.Success(
                    cancelled.ran()
                            ? kept(
                                    run,
                                    run.attempt(),
                                    withAttempt(run, CANCELLED_WHILE_IT_RAN),
                                    TaskEnd.CANCELLED,
                                    null)
                            : kept(run, run.attempt() - 1, withLapses(run), TaskEnd.CANCELLED, null));
        }
        @Nullable String duplicateOf = outcome instanceof Outcome.Duplicate duplicate ? duplicate.of() : null;
        return outcome instanceof Outcome.NotStarted
                ? new Verdict.Returned()
                : new Verdict.Success(succeeded(run, duplicateOf));
    }

    /** Returns the envelope of a task whose attempt failed, or that is dead before its handler began. */
    private byte[] failed(Run run, String error) {
        // A store without room keeps its last memory for outcomes, so the tasks that it has must not grow.
        boolean mayGrow = state.room.isLeft();
        Task task = withoutMarks(mayGrow ? withFanOuts(run) : run.task());
        if (run.startedAt() > 0 && mayGrow) {
            task = withAttempt(task, run, error);
        }
        return new Envelope(task, run.attempt(), run.token(), error).encode();
    }

    /** Returns the envelope of a task that has no handler here. The run does not count as an attempt. */
    private byte[] unhandled(Run run, Outcome.Unhandled outcome) {
        // As for a failed attempt. Without room the time is kept at a later try.
        Task task = state.room.isLeft()
                ? UnhandledSince.with(withLapses(run), outcome.since(), outcome.nextTry())
                : run.task();
        return new Envelope(WaitReason.without(PutAside.without(task)), run.attempt() - 1, run.token(), outcome.error())
                .encode();
    }

    /** Returns the envelope of a task that runs again. The run does not count as an attempt, and has not failed. */
    private byte[] snoozed(Run run, Outcome.Snoozed outcome) {
        // As for a failed attempt. A task that is put aside without its mark looks again by itself.
        boolean mayGrow = state.room.isLeft();
        Task task = withoutMarks(mayGrow ? withFanOuts(run) : run.task());
        if (outcome.putAside() && (mayGrow || PutAside.isMarked(run.task()))) {
            task = PutAside.with(task);
        }
        if (mayGrow) {
            task = WaitReason.with(task, outcome.waitsFor());
        }
        return new Envelope(task, run.attempt() - 1, run.token(), null).encode();
    }

    /** Returns the task without what was said of it while it waited. */
    private static Task withoutMarks(Task task) {
        return WaitReason.without(PutAside.without(UnhandledSince.without(task)));
    }

    private SuccessRecord succeeded(Run run, @Nullable String duplicateOf) {
        return kept(run, run.attempt(), withLapses(run), TaskEnd.SUCCEEDED, duplicateOf);
    }

    /** Returns what is kept of a task that expired: before its handler began, or when an attempt had failed. */
    private SuccessRecord expired(Run run, Outcome.Expired outcome) {
        String error = outcome.error();
        return error == null
                ? kept(run, run.attempt() - 1, withLapses(run), TaskEnd.EXPIRED, null)
                : kept(run, run.attempt(), withAttempt(run, error), TaskEnd.EXPIRED, null);
    }

    private SuccessRecord kept(Run run, int attempts, Task history, TaskEnd end, @Nullable String duplicateOf) {
        Task task = run.task();
        return new SuccessRecord(
                task.id(),
                task.type(),
                task.key(),
                attempts,
                run.startedAt(),
                run.durationMillis(),
                state.context.executor,
                AttemptHistory.text(history),
                end,
                end == TaskEnd.SUCCEEDED ? run.result() : null,
                duplicateOf);
    }

    private Task withAttempt(Run run, String error) {
        return withAttempt(withLapses(run), run, error);
    }

    private Task withAttempt(Task task, Run run, String error) {
        return AttemptHistory.with(
                task,
                new AttemptRecord(run.attempt(), run.startedAt(), run.durationMillis(), state.context.executor, error));
    }

    /** Returns the task with what a next run has to know of this one and of those that had no outcome. */
    private static Task withFanOuts(Run run) {
        return FannedOut.with(withLapses(run), run.fanOuts());
    }

    private static Task withLapses(Run run) {
        return AttemptHistory.withLapses(run.task(), run.attempt(), run.lapses());
    }
}
