package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.ownership.Ownership;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.task.Outcome;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recovers from a broken connection to the store, and ends an ownership: puts tasks back to their places, plans what is sent
 * again, and forgets the rest.
 */
final class OwnershipRecovery {

    private final PartitionState state;
    private final RunLifecycle runs;
    private final ClaimKeeper claims;
    private final DeferredTasks deferred;
    private final DeclinedOffers declined;

    OwnershipRecovery(
            PartitionState state,
            RunLifecycle runs,
            ClaimKeeper claims,
            DeferredTasks deferred,
            DeclinedOffers declined) {
        this.state = state;
        this.runs = runs;
        this.claims = claims;
        this.deferred = deferred;
        this.declined = declined;
    }

    // ---- the connection broke ----

    /**
     * Keeps memory, and plans to send again all that is not known to be durable once the partition is acquired again. A
     * partition that is being given up is left instead.
     */
    void recover() {
        if (state.ownership.isLeaving()) {
            leave();
            return;
        }
        state.rows.stopAll();
        List<PendingOutcome> returned = new ArrayList<>();
        for (RequestLog.Sent sent : state.requests.unanswered()) {
            takeBackClaims(sent);
            returned.addAll(sent.returned());
        }
        Collection<TaskEntry> parked = state.work.planResend(state.requests);
        adoptWhatRuns();
        returned.forEach(this::backInPlace);
        parked.forEach(this::unpark);
        for (PendingWrite write : state.requests.planned()) {
            state.tracker().mark(write.entry(), DeliveryState.PENDING, 0);
        }
        for (PendingOutcome outcome : state.work.outcomes()) {
            state.tracker().mark(outcome.entry(), DeliveryState.PENDING, 0);
        }
        state.durability.clear();
        state.ownership.acquireAgain();
    }

    private void giveBackSlots(RequestLog.Sent sent) {
        state.context.slots.answered(sent.slots());
        state.context.slots.giveUnused(sent.slots());
    }

    /** Takes back claims without an answer. The next acquire makes sure that they did not happen. */
    private void takeBackClaims(RequestLog.Sent sent) {
        giveBackSlots(sent);
        for (int i = sent.claims().size() - 1; i >= 0; i--) {
            TaskEntry entry = sent.claims().get(i);
            state.lanes.claimAnswered(entry);
            state.lanes.reenter(entry);
        }
    }

    /** Adopts tasks that are planned to be sent again and run by now. Their outcomes come later. */
    private void adoptWhatRuns() {
        for (PendingWrite write : List.copyOf(state.requests.planned())) {
            adoptIfRuns(write.entry());
        }
    }

    private boolean adoptIfRuns(TaskEntry handed) {
        Position position = handed.position();
        ActiveRun running = state.active.find(position);
        if (running == null || running.entry() == null) {
            return false;
        }
        if (handed.isTracked() && handed.hasTask()) {
            state.attach(running, handed);
            state.requests.plan(new PendingHandOver(handed, new Move.Adopt()));
        } else if (!isAdoption(state.requests.planned(position))) {
            state.requests.cancel(position);
        }
        return true;
    }

    private static boolean isAdoption(@Nullable PendingWrite write) {
        return write instanceof PendingHandOver handOver && handOver.adopts();
    }

    private void unpark(TaskEntry entry) {
        if (adoptIfRuns(entry)) {
            return;
        }
        if (entry.isTracked()) {
            entry.inStore(false);
            state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, DeliveryTracker.NEVER_DURABLE);
        } else {
            state.lanes.enter(entry);
        }
    }

    // ---- claims that were given back ----

    /** Drops the outcomes of runs that never began. Their claims are not presented, so it is as if there were none. */
    void dropReturned() {
        state.work.takeReturned().forEach(this::backInPlace);
    }

    /** Gives the task of a run that never began the place that it would have without its claim: in memory or in the store. */
    private void backInPlace(PendingOutcome returned) {
        Position position = returned.position();
        TaskEntry entry = returned.entry();
        state.work.deliveredOrRecorded(position);
        if (state.requests.planned(position) instanceof PendingHandOver handOver && handOver.adopts()) {
            backFromAdoption(handOver.entry());
        } else if (!state.isOfferedAgain(entry)) {
            state.lanes.reenter(entry);
        } else {
            state.returnedClaims.toStore(position);
            if (entry.isTracked()) {
                state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, DeliveryTracker.NEVER_DURABLE);
            }
        }
    }

    /** Replaces the adoption of a run that never began, for there is nothing to adopt. */
    private void backFromAdoption(TaskEntry entry) {
        if (state.broker.isHandOverToldByBit(entry)) {
            // The broker has custody until the store has it durably. The next acquire's bit tells.
            state.requests.cancel(entry.position());
            state.returnedClaims.toLane(entry.position());
            entry.inStore(false);
            state.tracker().mark(entry, DeliveryState.PENDING, 0);
            state.lanes.reenter(entry);
        } else {
            state.requests.plan(new PendingHandOver(entry, new Move.Schedule(0)));
            state.waitInPlace(entry);
        }
    }

    // ---- the ownership ended ----

    /** Forgets memory, which may be wrong since another process has owned the partition. Asks the broker whose it is. */
    void fenced() {
        boolean leaving = state.ownership.isLeaving();
        state.context.report(new CoreEvent.Fenced(state.partition, state.ownership.takeHeldEpoch()));
        forgetOwnership();
        if (leaving || state.gate.isOpened() && state.broker.isLeased()) {
            // A leased partition is acquired again, if it should be, with a new channel.
            leave();
            return;
        }
        state.gate.wantRewind();
        state.ownership.interrupted();
        state.ownership.acquireAgain();
    }

    /**
     * Forgets memory if the log was cut below what is known: positions from there on would be taken for those of the
     * former records. The next acquires tell the store. @return whether what is delivered from now on does not count, until
     *     deliveries begin anew
     */
    boolean cut(long offset) {
        state.active.recordsLostFrom(offset);
        if (state.ownership.isLeaving() || state.ownership.isLeft()) {
            // The next owner has to notice it too.
            return true;
        }
        boolean unknown = state.ownership.continues() && !state.broker.knowsFrom(offset);
        state.broker.cutAt(offset);
        if (unknown) {
            return false;
        }
        forgetOwnership();
        state.gate.wantRewind();
        if (state.ownership.isOwned() || state.ownership.isAcquiring()) {
            state.ownership.acquireAgain();
        }
        return state.gate.isOpened();
    }

    /** Gives the partition up, and lets the source know. */
    void leave() {
        long epoch = state.ownership.takeHeldEpoch();
        if (epoch != Ownership.NO_EPOCH) {
            state.context.report(new CoreEvent.Lost(state.partition, epoch));
        }
        forgetOwnership();
        claims.keepNow();
        if (!state.ownership.isLeft()) {
            state.gate.wantLeft();
        }
        state.ownership.left();
        dropStarts();
    }

    /** Gives back what was claimed in this turn and not yet handed to a worker. */
    void dropStarts() {
        state.context.takeStarts(state.partition).forEach(run -> runs.finished(run, Outcome.NotStarted.INSTANCE));
    }

    /** Forgets all of this ownership except its runs, which go on. Their outcomes are recorded by token. */
    void forgetOwnership() {
        state.rows.stopAll();
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (entry != null && state.tracker().isUnacked(entry)) {
                active.awaitsRedelivery(true);
            }
        }
        state.requests.unanswered().forEach(this::giveBackSlots);
        state.requests.drop().forEach(outcome -> state.late.add(outcome, state.broker.incarnation()));
        state.work.outcomes().forEach(outcome -> state.late.add(outcome, state.broker.incarnation()));
        state.work.clear();
        state.returnedClaims.clear();
        state.cancellations.clear();
        state.lanes.clear();
        state.broker.forget();
        state.durability.clear();
        state.otherClaims.clear();
        deferred.forget();
        declined.forget();
        state.active.all().forEach(ActiveRun::ownershipOver);
    }
}
