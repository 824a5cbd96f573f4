package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The line to the store breaks, or the ownership ends: what goes back to its place, what is to be sent again, and what is
 * forgotten.
 */
final class OwnershipRecovery {

    private final PartitionState m;
    private final RunLifecycle runs;
    private final DeliveryRouter judge;

    OwnershipRecovery(PartitionState m, RunLifecycle runs, DeliveryRouter judge) {
        this.m = m;
        this.runs = runs;
        this.judge = judge;
    }

    /** Claims that never became runs are not presented, so it will be as if they never were. */
    void dropReturned() {
        for (PendingItem.Outcome outcome : List.copyOf(m.outcomes)) {
            if (outcome.verdict() instanceof Verdict.Returned) {
                m.outcomes.remove(outcome);
                backInPlace(outcome);
            }
        }
    }

    /** As if it had never been claimed: it has its place in memory, or in the store. */
    void backInPlace(PendingItem.Outcome returned) {
        m.undelivered.remove(returned.position());
        PendingItem planned = m.outbox.resend().get(returned.position());
        if (planned instanceof PendingItem.Handover handover && PartitionState.isAdoption(planned)) {
            // Nothing runs there to be adopted.
            TaskEntry entry = handover.entry();
            if (m.tracker.isLog() && entry.tracked()) {
                // The broker has it until the store durably does. If it still does, its bit says so.
                m.outbox.resend().remove(returned.position());
                m.back.add(entry.position);
                entry.inStore = false;
                m.tracker.mark(entry, DeliveryState.PENDING, 0);
                m.requeue(entry);
            } else {
                m.outbox.resend().put(returned.position(), new PendingItem.Handover(entry, new Move.Schedule(0)));
                m.waitInPlace(entry);
            }
        } else if (!m.comesBackByItself(returned.entry())) {
            m.requeue(returned.entry());
        } else {
            m.first.add(returned.position());
            if (returned.entry().tracked()) {
                m.tracker.mark(returned.entry(), DeliveryState.REPORTED_SETTLED, PartitionState.NEVER);
            }
        }
    }

    /** Memory stays; all that is not known to be durable is sent again once the partition is acquired again. */
    void recover() {
        if (m.phase == OwnershipPhase.LEAVING) {
            leave();
            return;
        }
        List<PendingItem.Outcome> returned = new ArrayList<>();
        for (RequestLog.Sent sent : m.outbox.pending()) {
            takeBack(sent);
            returned.addAll(returnedBy(sent));
        }
        Collection<TaskEntry> parked = m.outbox.planResend(m.outcomes);
        adoptWhatRuns();
        returned.forEach(this::backInPlace);
        for (TaskEntry entry : parked) {
            if (adoptIfRuns(entry)) {
                continue;
            }
            if (entry.tracked()) {
                entry.inStore = false;
                m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, PartitionState.NEVER);
            } else {
                m.lanes.enter(entry);
            }
        }
        for (PendingItem item : m.outbox.resend().values()) {
            m.tracker.mark(item.entry(), DeliveryState.PENDING, 0);
        }
        m.outcomes.forEach(item -> m.tracker.mark(item.entry(), DeliveryState.PENDING, 0));
        m.proofs.clear();
        m.acquiring = null;
        m.confirmFirst = true;
        m.phase = OwnershipPhase.WAITING;
        m.retryAt = 0;
    }

    /** Claims that had no answer did not happen: acquire makes it so. */
    void takeBack(RequestLog.Sent sent) {
        m.shared.slots.give(sent.slots());
        for (int i = sent.claims().size() - 1; i >= 0; i--) {
            m.lanes.claimAnswered(sent.claims().get(i));
            m.requeue(sent.claims().get(i));
        }
    }

    static List<PendingItem.Outcome> returnedBy(RequestLog.Sent sent) {
        return sent.outcomes().stream()
                .filter(outcome -> outcome.verdict() instanceof Verdict.Returned)
                .toList();
    }

    /** In the plan, what runs by now is adopted instead: its outcome comes later. */
    private void adoptWhatRuns() {
        for (PendingItem item : List.copyOf(m.outbox.resend().values())) {
            adoptIfRuns(item.entry());
        }
    }

    private boolean adoptIfRuns(TaskEntry handed) {
        ActiveRun running = m.active.get(handed.position);
        if (running == null || running.entry == null) {
            return false;
        }
        if (handed.tracked() && handed.task != null) {
            m.attach(running, handed);
            m.outbox.resend().put(handed.position, new PendingItem.Handover(handed, new Move.Adopt()));
        } else if (!PartitionState.isAdoption(m.outbox.resend().get(handed.position))) {
            m.outbox.resend().remove(handed.position);
        }
        return true;
    }

    /** Another has or had the partition: what is in memory may be wrong. The broker is asked whether it is ours. */
    void fenced() {
        boolean leaving = m.phase == OwnershipPhase.LEAVING;
        dropMemory();
        if (leaving || m.opened && !m.tracker.isLog()) {
            // A queue is leased again, if it should be, with a new channel.
            leave();
            return;
        }
        m.rewindWanted = m.opened;
        m.continues = false;
        m.confirmFirst = true;
        m.phase = OwnershipPhase.WAITING;
        m.retryAt = 0;
    }

    void leave() {
        dropMemory();
        m.acquiring = null;
        m.keepAt = m.shared.now;
        m.leftWanted |= m.phase != OwnershipPhase.LEFT;
        m.phase = OwnershipPhase.LEFT;
        dropStarts();
    }

    /** What was claimed in this very turn and not yet handed to a worker goes back. */
    void dropStarts() {
        List<Run> dropped = new ArrayList<>();
        for (Run run : m.shared.starts) {
            if (run.partition().equals(m.partition)) {
                dropped.add(run);
            }
        }
        m.shared.starts.removeAll(dropped);
        dropped.forEach(run -> runs.finished(run, Outcome.NotStarted.INSTANCE));
    }

    /** Runs go on; their outcomes go by token. Everything else of this ownership is forgotten. */
    void dropMemory() {
        for (ActiveRun a : m.active.values()) {
            a.owes |= a.entry != null && m.tracker.isUnacked(a.entry);
        }
        for (RequestLog.Sent sent : m.outbox.pending()) {
            m.shared.slots.give(sent.slots());
        }
        m.outbox.drop().forEach(item -> m.late.add(item, m.incarnation));
        m.outcomes.forEach(item -> m.late.add(item, m.incarnation));
        m.outcomes.clear();
        m.undelivered.clear();
        m.settledAhead.clear();
        m.handovers.clear();
        m.gone.clear();
        m.awaited.clear();
        m.first.clear();
        m.back.clear();
        m.lanes.clear();
        m.tracker.clear();
        m.redeliveries.clear();
        if (m.shared.recalls != null) {
            m.shared.recalls.forget(judge);
        }
        m.droppable = -1;
        m.proofs.clear();
        m.otherClaims.clear();
        m.foreignKeys.clear();
        m.relayedUpTo = 0;
        m.behindRelays.clear();
        m.ownedUpTo = 0;
        m.chunks.clear();
        m.nextSequence = -1;
        for (ActiveRun a : m.active.values()) {
            a.owned = false;
            a.entry = null;
        }
    }
}
