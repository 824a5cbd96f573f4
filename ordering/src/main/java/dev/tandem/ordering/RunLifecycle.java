package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts tasks under their claims, turns their ends into outcomes, and relays a claim to the next task of its key. */
final class RunLifecycle {

    /** How many outcomes of a key may be unanswered while its next tasks run and the store answers nothing. */
    private static final int MAX_RELAYED_OUTCOMES = 32;

    /** After so long without any answer, the store may be gone. */
    private static final long SILENT_MILLIS = 100;

    /** How many tasks of a key run in a row while other keys wait for its slot. */
    private static final int MAX_RELAYS_BESIDE_OTHERS = 16;

    private static final long SAMPLE_MILLIS = 1_000;
    /** Samples must stay small beside all that the store has to keep. */
    private static final int MAX_SAMPLE_BYTES = 4_096;

    private final PartitionState state;
    private long sampleAt = Long.MIN_VALUE;
    /** Tasks up to this place came in before the last answered request was sent, while this process was the owner. */
    private long ownedUpTo;

    RunLifecycle(PartitionState state) {
        this.state = state;
        state.rows.stopWith(this::stop);
    }

    /** Begins a new ownership. */
    void acquired() {
        ownedUpTo = 0;
    }

    /** Notes that the store has answered a request that carried the high-water mark of that moment. */
    void ownedUpTo(long arrival) {
        ownedUpTo = arrival;
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
            end(row);
        }
        ended(run, outcome, next);
    }

    /** @param next the run of the key's next task that has begun by itself, or null */
    private void ended(Run run, Outcome outcome, @Nullable Run next) {
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
            goOn(active, lane, ended, next);
        } else if (lane != null && mayRelay(active, lane, ended)) {
            relay(active, lane, ended);
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
            return new Verdict.Retry(retry.delayMillis(), envelope(run, retry.error()));
        }
        if (outcome instanceof Outcome.Dead dead) {
            DeadHead policy = key == null ? DeadHead.SKIP : state.context.policy.deadHead();
            return new Verdict.Dead(policy, envelope(run, dead.error()));
        }
        return outcome instanceof Outcome.NotStarted ? new Verdict.Returned() : new Verdict.Success(sample(run));
    }

    private static byte[] envelope(Run run, @Nullable String error) {
        return new Envelope(run.task(), run.attempt(), run.token(), error).encode();
    }

    /** Returns the task itself once in a while, if it is small, for the history of successes. All successes are counted. */
    private byte @Nullable [] sample(Run run) {
        if (state.now() < sampleAt || run.task().weight() > MAX_SAMPLE_BYTES) {
            return null;
        }
        sampleAt = state.now() + SAMPLE_MILLIS;
        return envelope(run, null);
    }

    // ---- relay ----

    /** Whether the key's next task may start before the store has recorded this outcome. */
    private boolean mayRelay(ActiveRun active, Lane lane, PendingOutcome ended) {
        TaskEntry next = lane.peek();
        return next != null
                && isRelayable(active, ended)
                && isRelayable(next)
                && lane.isBusyWith(ended.entry())
                && !lane.isBlocked()
                && !lane.claimsOneByOne()
                && !lane.hasHandOvers()
                && state.room.isLeft()
                && lane.relayedOutcomes() < maxRelayedOutcomes()
                && !(active.relays() >= MAX_RELAYS_BESIDE_OTHERS && othersNeedTheSlot())
                && state.context.slots.take();
    }

    private int maxRelayedOutcomes() {
        boolean silent = state.now() - state.timers.lastAnswerAt() > SILENT_MILLIS;
        return silent ? Math.min(MAX_RELAYED_OUTCOMES, state.settings.relaysAhead()) : state.settings.relaysAhead();
    }

    /** Whether another key could start in the slot that has just been given back, and in no other. */
    private boolean othersNeedTheSlot() {
        return state.lanes.hasReady() && state.context.slots.free() <= 1;
    }

    /** Whether the ended run's claim is sound enough to pass on. */
    private boolean isRelayable(ActiveRun active, PendingOutcome ended) {
        TaskEntry entry = ended.entry();
        return ended.succeeds()
                && active.run().attempt() == entry.attempts() + 1
                && !entry.isInStore()
                && state.ownership.isOwned()
                && state.requests.hasNothingToResend()
                && !state.timers.isQuiet()
                && active.run().leaseUntil() - state.now() >= state.settings.leaseMillis() / 4;
    }

    /** Whether nobody else can have begun or settled the next task. */
    private boolean isRelayable(TaskEntry next) {
        return next.isTracked()
                && !next.isInStore()
                && next.order() <= ownedUpTo
                && !state.otherClaims.mayGoOnWith(next.key())
                && !state.late.mayHaveSettled(next.position());
    }

    /**
     * Starts the key's next task under the claim that the ended one still holds, and those behind it as a row. Its outcome
     * brings the claim of the next.
     */
    private void relay(ActiveRun active, Lane lane, PendingOutcome ended) {
        int most = rowLength(active, lane);
        List<Run> runs = new ArrayList<>();
        List<TaskEntry> entries = new ArrayList<>();
        for (TaskEntry next = lane.peek(); next != null && isRelayable(next); next = lane.peek()) {
            entries.add(lane.take());
            runs.add(relayed(active, next));
            if (runs.size() >= most) {
                break;
            }
        }
        Run first = runs.get(0);
        if (runs.size() > 1 && entries.get(0).key() != null) {
            long until = state.now() + state.settings.rowMillis();
            state.rows.add(new Row(entries.get(0).key(), runs, entries, until));
        }
        passClaim(active, lane, ended, first, entries.get(0));
        state.context.start(first);
    }

    /** How many tasks may be begun before the core decides again: few of a key whose tasks take long. */
    private int rowLength(ActiveRun active, Lane lane) {
        long took = Math.max(1, state.now() - active.startedAt());
        if (took > state.settings.rowMillis() || state.context.slots.isLimited()) {
            return 1;
        }
        long most = Math.min(state.settings.rowTasks(), maxRelayedOutcomes() - lane.relayedOutcomes());
        most = Math.min(most, state.settings.rowMillis() / took);
        boolean othersWait = state.lanes.hasReady() && !state.context.slots.any();
        most = othersWait ? Math.min(most, MAX_RELAYS_BESIDE_OTHERS - active.relays()) : most;
        return (int) Math.max(1, most);
    }

    private Run relayed(ActiveRun active, TaskEntry next) {
        return new Run(
                state.partition,
                next.position(),
                next.requireTask(),
                state.tokens.next(),
                next.attempts() + 1,
                0,
                next.offset(),
                active.run().leaseUntil());
    }

    /** Lets the outcome bring the claim of the run that follows. */
    private void passClaim(ActiveRun active, Lane lane, PendingOutcome ended, Run next, TaskEntry entry) {
        lane.busyWith(entry);
        ended.relays(new StoreRequest.Claim(next.position(), next.token(), entry.key(), false));
        state.active.add(ActiveRun.relayed(next, entry, state.now(), ended, active));
    }

    // ---- rows ----

    /** Takes in that the next run of a row has begun. */
    private void goOn(ActiveRun active, @Nullable Lane lane, PendingOutcome ended, Run next) {
        Row row = next.row();
        if (row == null || lane == null) {
            throw new IllegalStateException(next + " has begun by itself, but its key is not busy with a row");
        }
        state.context.slots.goOn();
        next.follows(active.run());
        passClaim(active, lane, ended, next, row.advance());
    }

    /** Lets no further run of the row begin, and takes in those that have begun. Their ends are to come, and known by then. */
    private void stop(Row row) {
        row.stop();
        for (Run next = row.begunNext(); next != null; next = row.begunNext()) {
            Run before = row.present();
            ended(before, Outcome.Succeeded.INSTANCE, next);
            before.over();
        }
        end(row);
    }

    /** Lets the tasks wait again that the row has not begun. */
    private void end(Row row) {
        row.stop();
        state.rows.remove(row);
        List<TaskEntry> rest = row.takeRest();
        Lane lane = state.lanes.find(row.key());
        for (int i = rest.size() - 1; lane != null && i >= 0; i--) {
            lane.add(rest.get(i));
        }
    }

    /** Takes what the store says of the claim that the outcome brought. */
    void relayAnswered(PendingOutcome outcome, boolean recorded, long sentAt) {
        StoreRequest.Claim relayed = outcome.relayed();
        ActiveRun active = relayed == null ? null : state.active.find(relayed.position());
        if (active != null && active.isBroughtBy(outcome)) {
            active.broughtByAnswered();
            if (recorded) {
                active.run().renewedUntil(state.leasedUntil(sentAt));
            }
        }
    }
}
