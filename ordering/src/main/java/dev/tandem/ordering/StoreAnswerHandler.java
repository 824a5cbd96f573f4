package dev.tandem.ordering;

import dev.tandem.ordering.PartitionState.GonePosition;
import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the store answers to the requests of an owner, and what follows from it. */
final class StoreAnswerHandler {

    private final PartitionState m;
    private final RunLifecycle runs;
    private final DeliveryRouter judge;
    private final OwnershipRecovery breaks;
    private final DeferredTasks waits;
    private final OwnershipAcquisition takeover;

    StoreAnswerHandler(
            PartitionState m,
            RunLifecycle runs,
            DeliveryRouter judge,
            OwnershipRecovery breaks,
            DeferredTasks waits,
            OwnershipAcquisition takeover) {
        this.m = m;
        this.runs = runs;
        this.judge = judge;
        this.breaks = breaks;
        this.waits = waits;
        this.takeover = takeover;
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (request instanceof StoreRequest.SettleLate done) {
            m.late.answered(
                    done,
                    m.phase == OwnershipPhase.LEFT
                            || m.phase == OwnershipPhase.WAITING
                            || m.phase == OwnershipPhase.CONFIRMING);
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            if (keep == m.keeping && answer instanceof StoreAnswer.ClaimsKept kept) {
                m.keeping = null;
                runs.kept(keep.positions(), kept.lost());
            }
        } else if (request instanceof StoreRequest.Acquire asked) {
            if (asked == m.acquiring) {
                m.acquiring = null;
                acquireAnswered(answer);
            }
        } else if (request instanceof StoreRequest.OwnerRequest numbered) {
            numberedAnswered(numbered, answer);
        }
    }

    private void numberedAnswered(StoreRequest.OwnerRequest request, StoreAnswer answer) {
        if (m.phase != OwnershipPhase.OWNED && m.phase != OwnershipPhase.LEAVING
                || !m.outbox.isCurrent(request.header())) {
            return;
        }
        if (answer instanceof StoreAnswer.Fenced) {
            breaks.fenced();
            return;
        }
        if (answer instanceof StoreAnswer.Gap || answer instanceof StoreAnswer.AlreadyApplied) {
            breaks.recover();
            return;
        }
        RequestLog.Sent sent = m.outbox.answered(request);
        if (sent == null) {
            return;
        }
        noteAnswer();
        if (request instanceof StoreRequest.SettleAndClaim || request instanceof StoreRequest.TakeCustody) {
            // The store has noted the high-water mark of then.
            m.ownedUpTo = sent.order();
        }
        if (answer instanceof StoreAnswer.SettledAndClaimed stepped) {
            stepped(sent, stepped);
        } else if (answer instanceof StoreAnswer.CustodyTaken handed) {
            handed(sent, handed);
        } else if (answer instanceof StoreAnswer.DueTasks due) {
            due(sent, due);
        } else if (answer instanceof StoreAnswer.LeasesRenewed renewed) {
            renewed(sent, renewed);
        } else if (answer instanceof StoreAnswer.LeasesExpired patrolled) {
            patrolled(patrolled);
        } else if (answer instanceof StoreAnswer.Ok ok) {
            ok(sent, ok);
        } else {
            throw new IllegalStateException("A " + request.getClass().getSimpleName() + " was answered by " + answer);
        }
    }

    /** Half a lease without an answer: this process was deaf, so others' leases may only seem to have run out. */
    private void noteAnswer() {
        if (m.isDeaf()) {
            m.extendMillis = m.settings.leaseMillis();
        }
        m.lastAnswerAt = m.shared.now;
    }

    private void acquireAnswered(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired acquired) {
            takeover.acquired(acquired);
            return;
        }
        if (m.opened && !m.tracker.isLog()) {
            // Its new owner needs the messages that our channel has.
            breaks.leave();
            return;
        }
        m.phase = OwnershipPhase.WAITING;
        m.confirmFirst = true;
        long wait = answer instanceof StoreAnswer.Refused refused ? refused.remainingMillis() : PartitionState.NEVER;
        m.retryAt = m.shared.now + Math.max(1, Math.min(wait, m.settings.retryMillis()));
    }

    private void stepped(RequestLog.Sent sent, StoreAnswer.SettledAndClaimed answer) {
        StoreRequest.SettleAndClaim step = (StoreRequest.SettleAndClaim) sent.request();
        for (int i = 0; i < sent.outcomes().size(); i++) {
            PendingItem.Outcome outcome = sent.outcomes().get(i);
            long nextToken = step.settles().get(i).nextToken();
            StoreAnswer.SettleResult code = answer.settles().get(i);
            if (nextToken != 0 && !(code instanceof StoreAnswer.SettleResult.Next)) {
                m.shared.slots.give(1);
            }
            if (outcome.isRelayed()) {
                Lane lane = m.lanes.find(outcome.entry().key);
                if (lane != null && lane.ahead > 0) {
                    lane.ahead--;
                    m.lanes.touch(lane);
                }
            }
            if (outcome.then != null) {
                runs.relayAnswered(outcome, outcome.then, code instanceof StoreAnswer.SettleResult.Ok, sent.sentAt());
            }
            if (code instanceof StoreAnswer.SettleResult.Refused) {
                refused(outcome);
                continue;
            }
            settled(outcome, sent.number(), code instanceof StoreAnswer.SettleResult.Ok ok && ok.opened());
            if (code instanceof StoreAnswer.SettleResult.Next next) {
                startNext(next, nextToken, sent.sentAt());
            }
        }
        for (int i = 0; i < sent.claims().size(); i++) {
            claimed(
                    sent.claims().get(i),
                    step.claims().get(i).token(),
                    answer.claims().get(i),
                    sent.sentAt());
        }
    }

    private void settled(PendingItem.Outcome outcome, long number, boolean nowOpen) {
        TaskEntry entry = outcome.entry();
        noLongerUndelivered(outcome, number);
        if (outcome.verdict() instanceof Verdict.Success) {
            m.tracker.mark(entry, DeliveryState.SETTLED, number);
        } else if (outcome.verdict() instanceof Verdict.Returned) {
            if (m.comesBackByItself(entry)) {
                m.dueAt = Math.min(m.dueAt, m.shared.now);
                if (entry.tracked() && entry.mark == DeliveryState.PENDING && m.phase == OwnershipPhase.OWNED) {
                    // What comes back has no delivery; the store says of this one that it is settled.
                    m.handOver(entry, new Move.Adopt());
                } else if (entry.key != null && m.tracker.isLog() && !entry.tracked()) {
                    // The store may have its claim only, and forgot that it had more.
                    waits.awaitHead(entry.key);
                }
            } else if (m.phase == OwnershipPhase.OWNED) {
                m.requeue(entry);
            }
        } else {
            m.tracker.mark(entry, DeliveryState.TAKEN_OVER, number);
            if (outcome.verdict() instanceof Verdict.Retry retry) {
                m.dueAt = Math.min(m.dueAt, m.shared.now + retry.delayMillis());
            }
        }
        if (outcome.movesCustody()) {
            m.outbox.hold(outcome, number);
            m.proofs.answered(number, m.shared.now);
        }
        Lane lane = m.lanes.find(entry.key);
        if (lane != null && nowOpen) {
            lane.open();
            m.lanes.touch(lane);
        }
    }

    private void noLongerUndelivered(PendingItem.Outcome outcome, long number) {
        TaskEntry entry = outcome.entry();
        if (!entry.tracked()) {
            m.undelivered.remove(entry.position);
            if (m.tracker.isLog() && entry.bit >= m.nextSequence && !(outcome.verdict() instanceof Verdict.Returned)) {
                m.settledAhead.put(entry.bit, number);
            }
        }
    }

    private void startNext(StoreAnswer.SettleResult.Next next, long nextToken, long sentAt) {
        TaskEntry entry = m.fromStore(next.position(), next.envelope());
        if (entry.key != null) {
            m.lanes.lane(entry.key).block(entry.position);
        }
        runs.start(entry, nextToken, next.lapses(), sentAt);
    }

    /** Another token has the position: this outcome counts for nothing. What the position's state is, a claim tells. */
    private void refused(PendingItem.Outcome outcome) {
        TaskEntry entry = outcome.entry();
        m.undelivered.remove(entry.position);
        if (!m.tracker.isLog() && outcome.sentAgain && outcome.verdict() instanceof Verdict.Success) {
            // No bit tells that it was recorded the first time. While our channel has its message, nobody else can have
            // taken its claim.
            m.tracker.mark(entry, DeliveryState.SETTLED, 0);
            m.free(entry);
        } else if (entry.tracked() && entry.mark == DeliveryState.PENDING && m.phase == OwnershipPhase.OWNED) {
            entry.doubtful = true;
            m.requeue(entry);
        }
    }

    private void claimed(TaskEntry entry, long claimToken, StoreAnswer.ClaimResult code, long sentAt) {
        m.lanes.claimAnswered(entry);
        if (code instanceof StoreAnswer.ClaimResult.Ok ok) {
            m.lanes.forgetOffered(entry);
            runs.start(entry, claimToken, ok.lapses(), sentAt);
            return;
        }
        m.shared.slots.give(1);
        if (code instanceof StoreAnswer.ClaimResult.KeyBlocked blocked) {
            if (entry.key != null) {
                m.lanes.lane(entry.key).block(blocked.head());
            }
            m.requeue(entry);
            return;
        }
        m.lanes.forgetOffered(entry);
        if (entry.tracked()) {
            // The store knows more of it than we do. Its lane waits for what that is.
            m.handOver(entry, new Move.Adopt());
        } else {
            m.free(entry);
        }
    }

    private void handed(RequestLog.Sent sent, StoreAnswer.CustodyTaken answer) {
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        if (answer.codes().contains(HandOverResult.NO_ROOM)) {
            noRoom(sent.handovers());
            return;
        }
        for (int i = 0; i < sent.handovers().size(); i++) {
            PendingItem.Handover handover = sent.handovers().get(i);
            TaskEntry entry = handover.entry();
            HandOverResult code = answer.codes().get(i);
            Lane lane = handover.holdsLane() ? m.lanes.find(entry.key) : null;
            if (lane != null) {
                lane.handing--;
            }
            switch (code) {
                case OK -> handedOver(handover, sent.number());
                case DONE -> {
                    if (entry.maybeTwin && entry.mark == DeliveryState.PENDING) {
                        judge.judge(judge.asAnother(entry));
                        break;
                    }
                    m.lanes.forgetOffered(entry);
                    if (handover.parks() && !entry.tracked()) {
                        m.outbox.hold(handover, sent.number());
                    }
                    m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, sent.number());
                    m.proofs.answered(sent.number(), m.shared.now);
                    afterAdoption(handover, false);
                }
                case OPEN -> {
                    if (lane != null) {
                        if (lane.handing == 0) {
                            lane.open();
                        }
                        lane.add(entry);
                    }
                }
                case FULL -> {
                    if (lane != null) {
                        m.lanes.full(lane);
                        lane.add(entry);
                        m.fullRetryAt = m.shared.now + m.settings.retryMillis();
                    }
                }
                case GONE -> {
                    boolean here = m.tracker.isLog() || entry.tracked();
                    if (here && entry.mark == DeliveryState.PENDING && !m.active.containsKey(entry.position)) {
                        m.otherClaims.remove(entry.position);
                        entry.inStore = false;
                        entry.adoptFirst = false;
                        if (!m.tracker.isLog() && m.redeliveries.isRemembered(entry)) {
                            // An earlier request that settled it had no answer.
                            m.pages.keepFor(entry, m.shared.now);
                            m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, m.acquiredWith);
                            if (entry.key != null) {
                                m.gone.addLast(new GonePosition(entry.position, entry.key));
                            }
                        } else if (entry.unreadable != null) {
                            m.handOver(entry, new Move.Bury());
                        } else if (!entry.matched && entry.requireTask().notBefore() > m.shared.wall) {
                            m.handOver(
                                    entry, new Move.Schedule(entry.requireTask().notBefore()));
                        } else {
                            m.requeue(entry);
                        }
                    }
                }
                case NO_ROOM -> throw new IllegalStateException("No room for some of them");
            }
            if (lane != null) {
                m.lanes.touch(lane);
            }
        }
    }

    /**
     * All are tried again, and their lanes go on waiting; but for runs that have ended meanwhile. What was to be parked
     * goes back to its lane, so that no two requests carry tasks of one key, of which the later one may find room.
     */
    private void noRoom(List<PendingItem.Handover> refused) {
        m.roomAt = m.shared.now + m.settings.retryMillis();
        Set<Position> ended = new HashSet<>();
        m.outcomes.forEach(outcome -> ended.add(outcome.position()));
        m.outbox.pending().forEach(sent -> sent.outcomes().forEach(outcome -> ended.add(outcome.position())));
        for (int i = refused.size() - 1; i >= 0; i--) {
            PendingItem.Handover handover = refused.get(i);
            Lane lane = handover.parks() ? m.lanes.find(handover.entry().key) : null;
            if (lane != null) {
                lane.handing--;
                lane.add(handover.entry());
                m.lanes.touch(lane);
                continue;
            }
            m.handovers.addFirst(handover);
            if (ended.contains(handover.position())) {
                m.withdrawAdoption(handover.entry());
            }
        }
    }

    private void handedOver(PendingItem.Handover handover, long number) {
        TaskEntry entry = handover.entry();
        if (entry.maybeTwin) {
            // Its message came.
            ActiveRun running = m.active.get(entry.position);
            if (running != null) {
                running.owes = false;
                if (running.entry != null) {
                    running.entry.owes = false;
                }
            }
        }
        m.lanes.forgetOffered(entry);
        entry.inStore = true;
        m.tracker.mark(entry, DeliveryState.TAKEN_OVER, number);
        m.outbox.hold(handover, number);
        m.proofs.answered(number, m.shared.now);
        afterAdoption(handover, true);
    }

    /** The key of a task under a claim that the store holds is blocked by it. */
    private void afterAdoption(PendingItem.Handover handover, boolean moved) {
        if (!(handover.move() instanceof Move.Adopt)) {
            return;
        }
        TaskEntry entry = handover.entry();
        boolean runs = m.active.containsKey(entry.position);
        // If it is still ours, what was done is that the store has it.
        entry.inStore = true;
        if (entry.key == null) {
            return;
        }
        if (moved || runs || m.otherClaims.containsKey(entry.position)) {
            Lane lane = m.lanes.lane(entry.key);
            lane.block(entry.position);
            m.lanes.touch(lane);
        }
        if (!runs) {
            m.free(entry);
        }
    }

    private void due(RequestLog.Sent sent, StoreAnswer.DueTasks answer) {
        m.dueInFlight = false;
        m.dueAt = answer.more() ? m.shared.now : m.after(answer.nextDueMillis());
        m.shared.slots.give(sent.slots() - answer.claimed().size());
        for (StoreAnswer.DueTask task : answer.claimed()) {
            TaskEntry entry = m.fromStore(task.position(), task.envelope());
            if (entry.key != null) {
                m.lanes.lane(entry.key).block(entry.position);
            }
            runs.start(entry, task.token(), task.lapses(), sent.sentAt());
        }
        for (StoreAnswer.DueTask task : answer.offered()) {
            if (!m.isHere(task.position())) {
                waits.offered(m.fromStore(task.position(), task.envelope()));
            }
        }
    }

    private void renewed(RequestLog.Sent sent, StoreAnswer.LeasesRenewed answer) {
        if (!answer.runId().equals(m.runId)) {
            breaks.recover();
            return;
        }
        StoreRequest.RenewLeases renew = (StoreRequest.RenewLeases) sent.request();
        runs.renew(renew.positions(), answer.lost(), sent.sentAt());
        if (renew.positions().isEmpty() && answer.durable()) {
            proven(m.proofs.proven(sent.sentAt()));
        }
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        m.lapseAt = m.after(answer.nextLapseMillis());
        if (!answer.opened().isEmpty()) {
            m.lanes.retryFull();
            answer.opened().forEach(waits::awaitHead);
            waits.giveUpAwaited();
        }
    }

    private void proven(long upTo) {
        if (upTo > 0) {
            m.tracker.proven(upTo);
            for (PendingItem item : m.outbox.proven(upTo)) {
                if (item.entry().number <= upTo) {
                    m.tracker.letGo(item.entry());
                }
            }
        }
    }

    private void patrolled(StoreAnswer.LeasesExpired answer) {
        m.patrolInFlight = false;
        m.lapseAt = m.after(answer.nextLapseMillis());
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        answer.waiting().forEach(waits::block);
        waits.giveUpAwaited();
    }

    private void ok(RequestLog.Sent sent, StoreAnswer.Ok answer) {
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        if (sent.request() instanceof StoreRequest.Release) {
            breaks.leave();
        } else if (sent.request() instanceof StoreRequest.AbandonPosition went) {
            Lane lane = m.lanes.find(went.key());
            if (lane != null && went.position().equals(lane.head)) {
                lane.open();
                m.lanes.touch(lane);
            }
        }
    }
}
