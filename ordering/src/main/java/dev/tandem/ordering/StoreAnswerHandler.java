package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest;

/** Takes what the store answers to this partition's requests, and hands each answer to the part that it is for. */
final class StoreAnswerHandler {

    private final PartitionState state;
    private final RunLifecycle runs;
    private final ClaimKeeper claims;
    private final OwnershipRecovery recovery;
    private final DeferredTasks deferred;
    private final OwnershipAcquisition acquisition;
    private final SettleAndClaimAnswers settleAndClaim;
    private final HandOverAnswers handOvers;

    StoreAnswerHandler(
            PartitionState state,
            RunLifecycle runs,
            ClaimKeeper claims,
            DeliveryRouter router,
            OwnershipRecovery recovery,
            DeferredTasks deferred,
            OwnershipAcquisition acquisition) {
        this.state = state;
        this.runs = runs;
        this.claims = claims;
        this.recovery = recovery;
        this.deferred = deferred;
        this.acquisition = acquisition;
        this.settleAndClaim = new SettleAndClaimAnswers(state, runs, deferred);
        this.handOvers = new HandOverAnswers(state, router);
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (request instanceof StoreRequest.SettleLate late) {
            lateAnswered(late, answer);
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            if (answer instanceof StoreAnswer.ClaimsKept kept) {
                claims.kept(keep, kept.lost());
            }
        } else if (request instanceof StoreRequest.Acquire acquire) {
            if (state.ownership.takeAcquiring(acquire)) {
                acquireAnswered(answer);
            }
        } else if (request instanceof StoreRequest.OwnerRequest owned) {
            ownerRequestAnswered(owned, answer);
        }
    }

    private void lateAnswered(StoreRequest.SettleLate late, StoreAnswer answer) {
        boolean nextAcquireTells =
                state.ownership.isLeft() || state.ownership.isWaiting() || state.ownership.isConfirming();
        boolean isReported = state.late.answered(late, nextAcquireTells);
        if (isReported && answer instanceof StoreAnswer.LateSettled settled) {
            long token = late.settle().token();
            if (settled.recorded()) {
                state.context.recorded(new RecordedEnd(state.partition, token));
            } else {
                state.context.refused(new RefusedEnd(state.partition, token));
            }
        }
    }

    private void acquireAnswered(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired acquired) {
            acquisition.acquired(acquired);
            return;
        }
        // A store that refuses is not silent: leases that run out while it refuses have really run out.
        state.timers.answered();
        if (state.gate.isOpened() && state.broker.isLeased()) {
            // The new owner needs the messages that our channel has.
            recovery.leave();
            return;
        }
        long wait = PartitionState.NEVER;
        if (answer instanceof StoreAnswer.Refused refused) {
            wait = refused.remainingMillis();
            if (!refused.otherSource().isEmpty()) {
                state.context.report(new CoreEvent.OwnedByOtherSource(
                        state.partition,
                        refused.owner(),
                        refused.otherSource(),
                        state.ownership.facts().sourceId()));
            }
        }
        state.ownership.refused(state.now() + Math.max(1, Math.min(wait, state.settings.retryMillis())));
    }

    private void ownerRequestAnswered(StoreRequest.OwnerRequest request, StoreAnswer answer) {
        boolean owner = state.ownership.isOwned() || state.ownership.isLeaving();
        if (!owner || !state.requests.isCurrent(request.header())) {
            return;
        }
        if (answer instanceof StoreAnswer.Fenced) {
            recovery.fenced();
            return;
        }
        if (answer instanceof StoreAnswer.Gap || answer instanceof StoreAnswer.AlreadyApplied) {
            recovery.recover();
            return;
        }
        RequestLog.Sent sent = state.requests.answered(request);
        if (sent != null) {
            state.timers.answered();
            state.context.slots.answered(sent.slots());
            applied(sent, answer);
        }
    }

    private void applied(RequestLog.Sent sent, StoreAnswer answer) {
        if (answer instanceof StoreAnswer.SettledAndClaimed settledAndClaimed) {
            runs.relays.ownedUpTo(sent.lastArrival());
            settleAndClaim.answered(sent, settledAndClaimed);
        } else if (answer instanceof StoreAnswer.CustodyTaken taken) {
            runs.relays.ownedUpTo(sent.lastArrival());
            handOvers.answered(sent, taken);
        } else if (answer instanceof StoreAnswer.DueTasks due) {
            dueAnswered(sent, due);
        } else if (answer instanceof StoreAnswer.LinesRead read) {
            state.broker.overflow().linesRead((ReadLines) sent.request(), read, deferred::isHere);
        } else if (answer instanceof StoreAnswer.LeasesRenewed renewed) {
            renewed(sent, renewed);
        } else if (answer instanceof StoreAnswer.LeasesExpired expired) {
            state.timers.patrolled(expired);
            expired.waiting().forEach(deferred::block);
            deferred.abandonMissing();
        } else if (answer instanceof StoreAnswer.Ok ok) {
            ok(sent, ok);
        } else {
            throw new IllegalStateException(
                    "A " + sent.request().getClass().getSimpleName() + " was answered by " + answer);
        }
    }

    private void dueAnswered(RequestLog.Sent sent, StoreAnswer.DueTasks answer) {
        state.timers.dueAnswered((StoreRequest.ClaimDue) sent.request(), answer);
        state.context.slots.giveUnused(sent.slots() - answer.claimed().size());
        for (StoreAnswer.DueTask task : answer.claimed()) {
            // An older offer may still wait here. Started from it, the task would forget its attempts and its delay.
            state.lanes.takeOffer(task.position());
            deferred.forgetOffer(task.position());
            TaskEntry entry = state.fromStore(task.position(), task.envelope());
            if (entry.key() != null && task.head()) {
                state.block(entry.key(), entry.position(), BlockReason.HEAD);
            }
            runs.start(entry, task.token(), task.lapses(), sent.sentAt());
        }
        state.lanes.release();
        for (StoreAnswer.DueTask task : answer.offered()) {
            if (!deferred.isHere(task.position())) {
                deferred.offered(state.fromStore(task.position(), task.envelope()));
            }
        }
    }

    private void renewed(RequestLog.Sent sent, StoreAnswer.LeasesRenewed answer) {
        if (!answer.runId().equals(state.ownership.runId())) {
            recovery.recover();
            return;
        }
        state.blockedKeys.told(answer.blockedKeys());
        if (state.blockedKeys.takeReached()) {
            state.context.report(new CoreEvent.TooManyBlockedKeys(state.partition, answer.blockedKeys()));
        }
        StoreRequest.RenewLeases request = (StoreRequest.RenewLeases) sent.request();
        claims.renewed(request.positions(), answer.lost(), sent.sentAt());
        state.room.counted(answer.custody());
        boolean isProbe = request.positions().isEmpty();
        if (isProbe && answer.durable()) {
            durable(state.durability.probed(sent.sentAt()));
        }
        state.tokens.told(answer.tokens());
        state.timers.nextDue(answer.nextDueMillis());
        state.timers.lapsesIn(answer.nextLapseMillis());
        if (!answer.opened().isEmpty()) {
            state.lanes.retryFull(Integer.MAX_VALUE);
            answer.opened().forEach(deferred::awaitHead);
            deferred.abandonMissing();
        }
    }

    /** Notes that all requests up to a number are durable; 0 if none was proven to be. */
    private void durable(long upTo) {
        if (upTo > 0) {
            state.tracker().durable(upTo);
            state.broker.durable(upTo);
            for (PendingWrite write : state.requests.durable(upTo)) {
                if (write.entry().stateNumber() <= upTo) {
                    state.tracker().dropTask(write.entry());
                }
            }
        }
    }

    private void ok(RequestLog.Sent sent, StoreAnswer.Ok answer) {
        state.timers.nextDue(answer.nextDueMillis());
        if (sent.request() instanceof StoreRequest.Release) {
            state.context.report(new CoreEvent.Released(state.partition, state.ownership.takeHeldEpoch()));
            recovery.leave();
        } else if (sent.request() instanceof StoreRequest.AbandonPosition abandoned) {
            Lane lane = state.lanes.find(abandoned.key());
            if (lane != null && lane.isHead(abandoned.position())) {
                state.open(lane, abandoned.key());
                state.lanes.touch(lane);
            }
        }
    }
}
