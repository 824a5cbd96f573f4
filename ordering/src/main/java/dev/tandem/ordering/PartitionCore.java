package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;

/** One partition in one process: who owns it, what is in memory, what is on its way to the store and to the broker. */
final class PartitionCore {

    private final PartitionState m;
    private final RunLifecycle runs;
    private final DeliveryRouter judge;
    private final OwnershipRecovery breaks;
    private final DeferredTasks waits;
    private final OwnerRequests requests;
    private final OwnershipAcquisition takeover;
    private final StoreAnswerHandler answers;
    private final LeaseReturner giveBack;

    private boolean storeUp;
    private long factsAt;
    private boolean paused;
    /** It leaves when what was handed over is durable. */
    private boolean settling;

    PartitionCore(Partition partition, QueueContext shared, String writer) {
        this.m = new PartitionState(partition, shared, writer);
        this.runs = new RunLifecycle(m);
        this.judge = new DeliveryRouter(m);
        this.breaks = new OwnershipRecovery(m, runs, judge);
        this.waits = new DeferredTasks(m);
        this.requests = new OwnerRequests(m);
        this.takeover = new OwnershipAcquisition(m, judge, breaks, waits, requests);
        this.answers = new StoreAnswerHandler(m, runs, judge, breaks, waits, takeover);
        this.giveBack = new LeaseReturner(m);
    }

    // ---- the source ----

    void assigned(Source.Facts now) {
        if (m.phase != OwnershipPhase.LEFT) {
            breaks.leave();
            m.leftWanted = false;
        }
        giveBack.drop();
        m.facts = now;
        factsAt = m.shared.now;
        m.phase = OwnershipPhase.WAITING;
        m.confirmFirst = false;
        m.continues = false;
        m.opened = false;
        m.openWanted = false;
        m.rewindWanted = false;
        paused = false;
        m.releaseSent = false;
        settling = false;
        m.retryAt = 0;
        m.committing = -1;
        m.committed = now.committed();
        m.mirrored = -1;
        m.nextSequence = -1;
        m.lastAnswerAt = m.shared.now;
    }

    void delivered(Collection<Delivery> deliveries, long next) {
        if (!m.opened || m.rewindWanted || m.phase == OwnershipPhase.LEAVING || m.phase == OwnershipPhase.LEFT) {
            return;
        }
        for (Delivery delivery : deliveries) {
            if (m.phase == OwnershipPhase.OWNED) {
                waits.comes(delivery);
            }
            TaskEntry entry = judge.entry(delivery);
            m.tracker.delivered(entry);
            if (m.phase == OwnershipPhase.OWNED) {
                judge.judge(entry);
            } else {
                // The store's view is being asked for again; this waits for it.
                m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, PartitionState.NEVER);
            }
        }
        m.nextSequence = next;
        m.settledAhead.keySet().removeIf(offset -> offset < next);
        m.tracker.position(next);
        waits.giveUpAwaited();
        waits.offerBehindRelays();
    }

    void caughtUp() {
        m.redeliveries.caughtUp();
        waits.giveUpAwaited();
        waits.offerBehindRelays();
    }

    void committed(long upTo) {
        m.committing = -1;
        m.committed = Math.max(m.committed, upTo);
    }

    void commitFailed() {
        m.committing = -1;
        m.commitAt = m.shared.now + m.settings.retryMillis();
    }

    void confirmed(Source.Facts now) {
        if (m.phase == OwnershipPhase.CONFIRMING) {
            m.facts = now;
            factsAt = m.shared.now;
            m.confirmFirst = false;
            m.phase = OwnershipPhase.WAITING;
            m.retryAt = 0;
        } else if (m.phase == OwnershipPhase.OWNED) {
            m.droppable = Math.max(m.droppable, m.pages.confirmed());
        }
    }

    void revoked() {
        if (m.phase == OwnershipPhase.OWNED) {
            m.phase = OwnershipPhase.LEAVING;
            breaks.dropStarts();
        } else if (m.phase != OwnershipPhase.LEAVING) {
            lost();
        }
    }

    void lost() {
        if (storeUp) {
            giveBack.leaving();
        }
        breaks.leave();
    }

    // ---- the store, and what runs ----

    void storeUp() {
        storeUp = true;
    }

    void storeDown() {
        storeUp = false;
        giveBack.drop();
        m.late.again();
        m.keeping = null;
        switch (m.phase) {
            case OWNED, ACQUIRING, LEAVING -> breaks.recover();
            case CONFIRMING -> {
                m.phase = OwnershipPhase.WAITING;
                m.confirmFirst = true;
            }
            case WAITING, LEFT -> {}
        }
    }

    void woken() {
        if (m.phase == OwnershipPhase.OWNED) {
            m.dueAt = Math.min(m.dueAt, m.shared.now);
            m.lanes.retryFull();
        }
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        giveBack.answered(request, answer);
        answers.answered(request, answer);
    }

    void finished(Run run, Outcome outcome) {
        runs.finished(run, outcome);
    }

    // ---- what is to be done now ----

    void flush(Commands out) {
        if (m.openWanted) {
            m.openWanted = false;
            m.opened = true;
            m.nextSequence = -1;
            out.open(m.partition);
            waits.giveUpAwaited();
        }
        if (m.rewindWanted && m.phase == OwnershipPhase.OWNED) {
            m.rewindWanted = false;
            out.rewind(m.partition);
        }
        if (m.shared.now >= unreachedUntil()) {
            // Whoever has its lease by now needs the messages that our channel has.
            breaks.leave();
        }
        if (storeUp) {
            if (m.late.hasUnsent()) {
                m.late.flush(out);
            }
            giveBack.flush(out);
            runs.keep(out);
            switch (m.phase) {
                case WAITING -> {
                    if (m.shared.now >= m.retryAt) {
                        // What the broker said long ago (this process may have been frozen) says nothing of now.
                        if (m.confirmFirst || m.shared.now - factsAt > m.settings.leaseMillis() / 4) {
                            m.phase = OwnershipPhase.CONFIRMING;
                            out.confirm(m.partition);
                        } else {
                            takeover.acquire(out);
                        }
                    }
                }
                case OWNED -> work(out);
                case LEAVING -> release(out);
                case CONFIRMING, ACQUIRING, LEFT -> {}
            }
        }
        backPressure(out);
        if (m.leftWanted) {
            m.leftWanted = false;
            out.left(m.partition);
        }
    }

    private void work(Commands out) {
        requests.sendAgain(out);
        waits.offerBehindRelays();
        if (m.outbox.resend().isEmpty()) {
            requests.steps(out);
            if (m.outcomes.isEmpty()) {
                requests.hands(out);
            }
            waits.giveUpIfStuck();
            waits.gone(out);
            requests.dues(out);
        }
        requests.renewals(out);
        requests.patrol(out);
        requests.adopt();
        requests.commit(out);
        requests.storedCommit(out);
        requests.dropPages(out);
    }

    private void release(Commands out) {
        requests.sendAgain(out);
        requests.steps(out);
        requests.commit(out);
        if (!m.releaseSent) {
            // Nobody may come after us, and what an operator moves back meanwhile is known by the mirror.
            m.mirrorAt = m.shared.now;
            requests.storedCommit(out);
        }
        settling = requests.settlesFirst(out);
        if (settling) {
            return;
        }
        if (m.outcomes.isEmpty() && m.outbox.pending().isEmpty() && !m.releaseSent) {
            m.releaseSent = true;
            m.send(out, new StoreRequest.Release(m.outbox.next()), 0);
        }
    }

    private void backPressure(Commands out) {
        if (!m.opened || m.phase == OwnershipPhase.LEFT || m.phase == OwnershipPhase.LEAVING) {
            return;
        }
        if (m.shared.now >= m.fullRetryAt) {
            m.fullRetryAt = PartitionState.NEVER;
            m.lanes.retryFull();
        }
        // A key that waits for a redelivery gets it however full others are, or all would wait for one another.
        boolean awaits = !m.awaited.isEmpty();
        int share = paused && !awaits ? 2 : 1;
        boolean full = m.phase != OwnershipPhase.OWNED || !m.redeliveries.isAwaiting() && m.isFull(awaits, share);
        if (full != paused) {
            paused = full;
            if (full) {
                out.pause(m.partition);
            } else {
                out.resume(m.partition);
            }
        }
    }

    /** Until when a queue's channel is kept though the store can't be reached: as long as the lease can be ours. */
    private long unreachedUntil() {
        boolean waits = !storeUp && m.opened && m.phase != OwnershipPhase.LEFT && !m.tracker.isLog();
        return waits ? m.lastAnswerAt + m.settings.leaseMillis() : PartitionState.NEVER;
    }

    /** When {@link #flush} has something to do without any event. */
    long nextTurn() {
        if (!storeUp) {
            return unreachedUntil();
        }
        long next = m.active.isEmpty() || m.phase == OwnershipPhase.OWNED || m.keeping != null
                ? PartitionState.NEVER
                : m.keepAt;
        return switch (m.phase) {
            case WAITING -> Math.min(next, m.retryAt);
            case CONFIRMING, ACQUIRING, LEFT -> next;
            case LEAVING ->
                Math.min(
                        next,
                        Math.min(
                                requests.commitTime(),
                                settling ? Math.min(m.renewAt, requests.probeTime()) : PartitionState.NEVER));
            case OWNED -> ownedNextTurn();
        };
    }

    private long ownedNextTurn() {
        long next = Math.min(m.renewAt, requests.probeTime());
        next = Math.min(next, requests.commitTime());
        next = Math.min(next, m.lanes.anyFull() ? m.fullRetryAt : PartitionState.NEVER);
        next = Math.min(next, m.shared.now < m.roomAt ? m.roomAt : PartitionState.NEVER);
        next = Math.min(
                next, !m.dueInFlight && m.shared.slots.any() ? Math.max(m.dueAt, m.quietUntil) : PartitionState.NEVER);
        next = Math.min(next, m.shared.now < m.quietUntil ? m.quietUntil : PartitionState.NEVER);
        next = Math.min(next, m.behindRelays.isEmpty() ? PartitionState.NEVER : m.behindUntil);
        next = Math.min(next, m.patrolInFlight ? PartitionState.NEVER : m.lapseAt);
        next = Math.min(next, m.active.isEmpty() ? PartitionState.NEVER : m.adoptAt);
        next = Math.min(next, m.tracker.isLog() && m.committed > m.mirrored ? m.mirrorAt : PartitionState.NEVER);
        next = Math.min(next, m.tracker.isLog() ? PartitionState.NEVER : m.pages.nextAt(m.redeliveries.isCaughtUp()));
        return next;
    }

    /** Nothing runs and no outcome waits. */
    boolean idle() {
        return m.active.isEmpty()
                && m.late.isEmpty()
                && giveBack.isDone()
                && (m.phase == OwnershipPhase.LEFT || m.outcomes.isEmpty() && !m.proofs.waiting());
    }

    @Override
    public String toString() {
        return m.partition + " " + m.phase + " active=" + m.active.keySet() + " outcomes=" + m.outcomes + " tracker="
                + m.tracker.size() + " lanes=" + m.lanes;
    }
}
