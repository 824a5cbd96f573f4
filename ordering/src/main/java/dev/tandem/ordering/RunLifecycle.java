package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.jspecify.annotations.Nullable;

/** Starts tasks under their claims, turns their ends into outcomes, and relays a claim to the next task of its key. */
final class RunLifecycle {

    /** How many outcomes of a key may be unanswered while its next tasks run. As many may run again after a crash. */
    private static final int MAX_RELAYED_OUTCOMES = 32;

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
        state.active.add(ActiveRun.claimed(run, entry, state.now()));
        if (entry.key() != null) {
            state.lanes.lane(entry.key()).busyWith(entry);
        }
        if (state.ownership.isOwned()) {
            state.context.start(run);
        } else {
            finished(run, Outcome.NotStarted.INSTANCE);
        }
    }

    // ---- end ----

    void finished(Run run, Outcome outcome) {
        if (outcome instanceof Outcome.NotStarted) {
            state.context.slots.giveUnused(1);
        } else {
            state.context.slots.ended();
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
        if (lane != null) {
            lane.taskEnded();
        }
        if (lane != null && mayRelay(active, lane, ended)) {
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
                && !lane.hasHandOvers()
                && state.room.isLeft()
                && lane.relayedOutcomes() < MAX_RELAYED_OUTCOMES
                && !(active.relays() >= MAX_RELAYS_BESIDE_OTHERS && othersNeedTheSlot())
                && state.context.slots.take();
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

    /** Starts the key's next task under the claim that the ended one still holds. Its outcome brings the claim of the next. */
    private void relay(ActiveRun active, Lane lane, PendingOutcome ended) {
        TaskEntry next = lane.take();
        lane.busyWith(next);
        long token = state.tokens.next();
        ended.relays(new StoreRequest.Claim(next.position(), token, next.key(), false));
        Run run = new Run(
                state.partition,
                next.position(),
                next.requireTask(),
                token,
                next.attempts() + 1,
                0,
                next.offset(),
                active.run().leaseUntil());
        state.active.add(ActiveRun.relayed(run, next, state.now(), ended, active));
        state.context.start(run);
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
