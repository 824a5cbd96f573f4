package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Relays a claim: lets the next task of a key start before the store has recorded the outcome of the one before, and those
 * behind it as a row.
 */
final class Relays {

    /** How many outcomes of a key may be unanswered while its next tasks run and the store answers nothing. */
    private static final int MAX_RELAYED_OUTCOMES = 32;

    /** After so long without any answer, the store may be gone. */
    private static final long SILENT_MILLIS = 100;

    /** How many relays of a key follow one another while other keys wait for its slot. */
    private static final int MAX_RELAYS_BESIDE_OTHERS = 16;

    /** Takes in that a run has ended, and that the key's next run has begun by itself. */
    interface Ends {
        void take(Run run, Outcome outcome, Run next);
    }

    private final PartitionState state;
    private final Ends ends;
    /** Tasks up to this place came in before the last answered request was sent, while this process was the owner. */
    private long ownedUpTo;

    Relays(PartitionState state, Ends ends) {
        this.state = state;
        this.ends = ends;
    }

    /** Begins a new ownership. */
    void acquired() {
        ownedUpTo = 0;
    }

    /** Notes that the store has answered a request that carried the high-water mark of that moment. */
    void ownedUpTo(long arrival) {
        ownedUpTo = arrival;
    }

    /** Whether the key's next task may start before the store has recorded this outcome. */
    boolean mayRelay(ActiveRun active, Lane lane, PendingOutcome ended) {
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
                && !othersComeBefore(next)
                && state.context.slots.take();
    }

    private int maxRelayedOutcomes() {
        boolean silent = state.now() - state.timers.lastAnswerAt() > SILENT_MILLIS;
        return silent ? Math.min(MAX_RELAYED_OUTCOMES, state.settings.relaysAhead()) : state.settings.relaysAhead();
    }

    /** Whether another key or a due task waits, and only the slot just given back is free for it. */
    private boolean othersNeedTheSlot() {
        boolean othersWait = state.lanes.hasReady() || state.timers.isDueWaiting();
        return othersWait && state.context.slots.free() <= 1;
    }

    /** Whether tasks wait whose priority or tenant comes first, and only the slot just given back is free for them. */
    private boolean othersComeBefore(TaskEntry next) {
        return state.context.slots.free() <= 1
                && (state.lanes.ready().prefersOthersTo(next) || state.context.waitAbove(next.priority()));
    }

    /** Whether the ended run's claim is sound enough to pass on. */
    private boolean isRelayable(ActiveRun active, PendingOutcome ended) {
        TaskEntry entry = ended.entry();
        // Who dies before a cancellation is recorded takes it along. Then the task runs, and nothing may have begun
        // behind it.
        return ended.succeeds()
                && !active.run().isCancelled()
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
                && !next.isCancelled()
                && !state.otherClaims.mayGoOnWith(next.key())
                && !state.late.mayHaveSettled(next.position());
    }

    /**
     * Starts the key's next task under the claim that the ended one still holds, and those behind it as a row. Its outcome
     * brings the claim of the next.
     */
    void relay(ActiveRun active, Lane lane, PendingOutcome ended) {
        int most = rowLength(active, lane);
        List<Row.Step> steps = new ArrayList<>();
        for (TaskEntry next = lane.peek(); next != null && isRelayable(next); next = lane.peek()) {
            steps.add(new Row.Step(relayed(active, next), lane.take()));
            state.lanes.ready().startedElsewhere(next);
            if (steps.size() >= most) {
                break;
            }
        }
        Row.Step first = steps.get(0);
        if (steps.size() > 1) {
            state.rows.add(new Row(lane.key(), steps, state.now() + state.settings.rowMillis()));
        }
        passClaim(active, lane, ended, first);
        state.context.start(first.run());
    }

    /** How many tasks may be begun before the core decides again: few of a key whose tasks take long. */
    private int rowLength(ActiveRun active, Lane lane) {
        long took = Math.max(1, state.now() - active.startedAt());
        boolean ranked = state.lanes.ready().hasSeveralGroups();
        if (ranked || took > state.settings.rowMillis() || state.context.slots.isLimited()) {
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
    private void passClaim(ActiveRun active, Lane lane, PendingOutcome ended, Row.Step next) {
        Run run = next.run();
        TaskEntry entry = next.entry();
        lane.busyWith(entry);
        ended.relays(new StoreRequest.Claim(run.position(), run.token(), entry.key(), false));
        state.active.add(ActiveRun.relayed(run, entry, state.now(), ended, active));
    }

    /** Takes what the store says of the claim that the outcome brought. */
    void answered(PendingOutcome outcome, boolean recorded, long sentAt) {
        StoreRequest.Claim relayed = outcome.relayed();
        ActiveRun active = relayed == null ? null : state.active.find(relayed.position());
        if (active != null && active.isBroughtBy(outcome)) {
            active.broughtByAnswered();
            if (recorded) {
                active.run().renewedUntil(state.leasedUntil(sentAt));
            }
        }
    }

    // ---- rows ----

    /** Takes in that the next run of a row has begun. */
    void goOn(ActiveRun active, @Nullable Lane lane, PendingOutcome ended, Run next) {
        Row row = next.row();
        if (row == null || lane == null) {
            throw new IllegalStateException(next + " has begun by itself, but its key is not busy with a row");
        }
        state.context.slots.goOn();
        next.follows(active.run());
        passClaim(active, lane, ended, row.advance());
    }

    /** Lets no further run of the row begin, and takes in those that have begun. Their ends are to come, and known by then. */
    void stop(Row row) {
        row.stop();
        for (Run next = row.begunNext(); next != null; next = row.begunNext()) {
            Run before = row.present();
            ends.take(before, Outcome.Succeeded.INSTANCE, next);
            before.over();
        }
        putBackRest(row);
    }

    /** Lets the tasks wait again that the row has not begun. */
    void putBackRest(Row row) {
        row.stop();
        state.rows.remove(row);
        List<TaskEntry> rest = row.takeRest();
        Lane lane = state.lanes.find(row.key());
        for (int i = rest.size() - 1; lane != null && i >= 0; i--) {
            lane.add(rest.get(i));
        }
    }
}
