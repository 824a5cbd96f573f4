package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.task.DeadHead;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;

/** Takes the answers to requests that settle and claim, and draws the consequences. */
final class SettleAndClaimAnswers {

    private final PartitionState state;
    private final RunLifecycle runs;
    private final DeferredTasks deferred;

    SettleAndClaimAnswers(PartitionState state, RunLifecycle runs, DeferredTasks deferred) {
        this.state = state;
        this.runs = runs;
        this.deferred = deferred;
    }

    void answered(RequestLog.Sent sent, StoreAnswer.SettledAndClaimed answer) {
        StoreRequest.SettleAndClaim request = (StoreRequest.SettleAndClaim) sent.request();
        for (int i = 0; i < sent.outcomes().size(); i++) {
            long nextToken = request.settles().get(i).nextToken();
            outcomeAnswered(
                    sent, sent.outcomes().get(i), nextToken, answer.settles().get(i));
        }
        for (int i = 0; i < sent.claims().size(); i++) {
            long token = request.claims().get(i).token();
            claimAnswered(sent.claims().get(i), token, answer.claims().get(i), sent.sentAt());
        }
    }

    // ---- outcomes ----

    private void outcomeAnswered(RequestLog.Sent sent, PendingOutcome outcome, long nextToken, SettleResult result) {
        if (nextToken != 0 && !(result instanceof SettleResult.Next)) {
            state.context.slots.giveUnused(1);
            // Its lane's next task may have had no place in the answer. Then it is due.
            state.timers.dueAfter(0);
        }
        if (outcome.isRelayed()) {
            Lane lane = state.lanes.find(outcome.entry().key());
            if (lane != null && lane.relayedOutcomeAnswered()) {
                state.lanes.touch(lane);
            }
        }
        runs.relays.answered(outcome, result instanceof SettleResult.Ok, sent.sentAt());
        if (result instanceof SettleResult.Refused) {
            refused(outcome);
            return;
        }
        recorded(outcome, sent.number(), result instanceof SettleResult.Ok ok && ok.opened());
        if (result instanceof SettleResult.Next next) {
            startNext(next, nextToken, sent.sentAt());
        }
    }

    private void recorded(PendingOutcome outcome, long number, boolean opened) {
        TaskEntry entry = outcome.entry();
        if (!entry.isTracked()) {
            state.work.deliveredOrRecorded(entry.position());
            if (!outcome.isReturned()) {
                state.broker.settledBeforeDelivery(entry, number);
            }
        }
        count(outcome);
        if (outcome.isReported()) {
            state.context.recorded(new RecordedEnd(state.partition, outcome.token()));
        }
        if (entry.key() != null && outcome.verdict() instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.HALT) {
            state.context.report(
                    new CoreEvent.KeyHalted(state.partition, entry.key(), entry.position(), dead.envelope()));
        }
        if (outcome.succeeds()) {
            state.tracker().mark(entry, DeliveryState.SETTLED, number);
        } else if (outcome.isReturned()) {
            returned(entry);
        } else {
            state.tracker().mark(entry, DeliveryState.TAKEN_OVER, number);
            if (outcome.verdict() instanceof Verdict.Retry retry) {
                state.timers.dueAfter(retry.delayMillis());
            }
        }
        if (outcome.movesCustody()) {
            state.requests.keepUntilDurable(outcome, number);
            state.durability.answered(number, state.now());
        }
        Lane lane = state.lanes.find(entry.key());
        if (lane != null && opened) {
            state.open(lane, entry.key());
            state.lanes.touch(lane);
        }
    }

    /** Counts what the store has one more, or one less, of. */
    private void count(PendingOutcome outcome) {
        TaskEntry entry = outcome.entry();
        boolean retries = outcome.verdict() instanceof Verdict.Retry;
        if (retries && !entry.isInStore()) {
            state.room.taken(entry);
        } else if (!retries && !outcome.isReturned() && entry.isInStore()) {
            state.room.ended(entry);
        }
    }

    /** The claim of a run that never began was given back. */
    private void returned(TaskEntry entry) {
        if (!state.isOfferedAgain(entry)) {
            if (state.ownership.isOwned()) {
                state.lanes.reenter(entry);
            }
            return;
        }
        state.timers.dueAfter(0);
        if (entry.isTracked() && entry.isPending() && state.ownership.isOwned()) {
            // What the store offers again has no delivery. The store says of this one that it is settled.
            state.work.handOver(entry, new Move.Adopt());
        } else {
            state.broker.awaitReturned(entry, deferred);
        }
    }

    private void startNext(SettleResult.Next next, long nextToken, long sentAt) {
        TaskEntry entry = state.fromStore(next.position(), next.envelope());
        if (entry.key() != null) {
            state.block(entry.key(), entry.position(), BlockReason.HEAD);
        }
        state.lanes.ready().startedElsewhere(entry);
        runs.start(entry, nextToken, next.lapses(), sentAt);
    }

    /**
     * The position is or was claimed under another token, so the outcome does not count. The next claim tells what became of
     * the task.
     */
    private void refused(PendingOutcome outcome) {
        TaskEntry entry = outcome.entry();
        state.rows.stop(entry.key());
        state.work.deliveredOrRecorded(entry.position());
        if (state.broker.isRefusalOfRecorded(outcome)) {
            state.tracker().mark(entry, DeliveryState.SETTLED, 0);
            state.lanes.free(entry);
            if (outcome.isReported()) {
                state.context.recorded(new RecordedEnd(state.partition, outcome.token()));
            }
            return;
        }
        if (outcome.isReported()) {
            state.context.refused(new RefusedEnd(state.partition, outcome.token()));
        }
        if (entry.isTracked() && entry.isPending() && state.ownership.isOwned()) {
            entry.doubt();
            state.lanes.reenter(entry);
        }
    }

    // ---- claims ----

    private void claimAnswered(TaskEntry entry, long token, ClaimResult result, long sentAt) {
        state.lanes.claimAnswered(entry);
        if (result instanceof ClaimResult.Ok ok) {
            state.lanes.forgetOffered(entry);
            runs.start(entry, token, ok.lapses(), sentAt);
            return;
        }
        state.context.slots.giveUnused(1);
        if (result instanceof ClaimResult.KeyBlocked blocked) {
            if (entry.key() != null) {
                state.block(entry.key(), blocked.head(), null);
            }
            state.lanes.reenter(entry);
            return;
        }
        state.lanes.forgetOffered(entry);
        if (entry.isTracked()) {
            // The store knows more of the task than we do. Its lane waits for what that is.
            state.work.handOver(entry, new Move.Adopt());
        } else {
            state.lanes.free(entry);
        }
    }
}
