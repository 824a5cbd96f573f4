package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Acquires the partition: presents what this process runs and has run, and reads the answer into memory. */
final class OwnershipAcquisition {

    private long acquireSentAt;
    private final PartitionState m;
    private final DeliveryRouter judge;
    private final OwnershipRecovery breaks;
    private final DeferredTasks waits;
    private final OwnerRequests requests;

    OwnershipAcquisition(
            PartitionState m,
            DeliveryRouter judge,
            OwnershipRecovery breaks,
            DeferredTasks waits,
            OwnerRequests requests) {
        this.m = m;
        this.judge = judge;
        this.breaks = breaks;
        this.waits = waits;
        this.requests = requests;
    }

    void acquire(Commands out) {
        Map<Position, StoreRequest.PresentedClaim> presented = new HashMap<>();
        for (PendingItem item : m.outbox.resend().values()) {
            present(presented, item);
        }
        breaks.dropReturned();
        m.outcomes.forEach(item -> present(presented, item));
        for (ActiveRun a : m.active.values()) {
            presented.put(
                    a.run.position(),
                    new StoreRequest.PresentedClaim(
                            a.run.position(), a.run.token(), a.key, a.run.attempt(), a.run.sequence(), 0, a.after));
        }
        m.outbox.resend().values().forEach(item -> relayOnlyTo(presented, item));
        m.outcomes.forEach(item -> relayOnlyTo(presented, item));
        m.acquiring = new StoreRequest.Acquire(
                m.outbox.nextAcquire(m.continues),
                m.shared.executor,
                m.settings.leaseMillis(),
                m.facts.generation(),
                m.facts.sourceId(),
                Math.max(m.facts.committed(), m.committed),
                presented.values().stream()
                        .sorted(Comparator.comparingLong(StoreRequest.PresentedClaim::token))
                        .toList());
        acquireSentAt = m.shared.now;
        m.late.acquiring();
        m.phase = OwnershipPhase.ACQUIRING;
        out.send(m.acquiring);
    }

    private static void present(Map<Position, StoreRequest.PresentedClaim> presented, PendingItem item) {
        if (item instanceof PendingItem.Outcome outcome) {
            TaskEntry entry = outcome.entry();
            presented.put(
                    entry.position,
                    new StoreRequest.PresentedClaim(
                            entry.position,
                            outcome.token(),
                            entry.key,
                            outcome.attempt(),
                            entry.bit,
                            outcome.sentIn,
                            outcome.after));
        }
    }

    /** A claim that never became a run is not brought by its predecessor's outcome either. */
    private static void relayOnlyTo(Map<Position, StoreRequest.PresentedClaim> presented, PendingItem item) {
        if (item instanceof PendingItem.Outcome outcome && outcome.then != null) {
            StoreRequest.PresentedClaim next = presented.get(outcome.then.position());
            if (next == null || next.token() != outcome.then.token()) {
                outcome.then = null;
            }
        }
    }

    void acquired(StoreAnswer.Acquired a) {
        boolean log = m.tracker.isLog();
        if (log && m.incarnation != a.incarnation() && m.tracker.size() > 0) {
            // What is in memory is of another incarnation of the topic.
            breaks.dropMemory();
            m.rewindWanted = m.opened;
        }
        boolean restarted = !m.runId.isEmpty() && !m.runId.equals(a.runId());
        m.phase = OwnershipPhase.OWNED;
        m.outbox.begin(a.epoch());
        m.acquiredWith = m.outbox.lastNumber();
        m.proofs.clear();
        m.proofs.answered(m.acquiredWith, m.shared.now);
        m.runId = a.runId();
        m.continues = true;
        m.incarnation = log ? a.incarnation() : StoreRequest.NO_INCARNATION;
        m.highest = Math.max(m.highest, a.highWater());
        m.relayedUpTo = a.highWater();
        m.behindUntil = m.shared.now + m.settings.leaseMillis();
        m.ownedUpTo = 0;
        m.storedCommit = a.storedCommit();
        m.token = a.epoch();
        m.otherClaims.clear();
        for (StoreAnswer.OtherClaim f : a.otherClaims()) {
            m.otherClaims.put(f.position(), f);
            if (f.key() != null) {
                m.foreignKeys.add(f.key());
            }
        }
        m.chunks.clear();
        a.chunks().forEach(chunk -> m.chunks.put(chunk.index(), chunk));
        m.extendMillis = restarted || m.isDeaf() ? m.settings.leaseMillis() : 0;
        m.lastAnswerAt = m.shared.now;
        m.renewAt = m.shared.now + m.settings.renewMillis();
        m.adoptAt = m.shared.now + m.adoptAfter();
        m.dueInFlight = false;
        m.patrolInFlight = false;
        m.dueAt = m.after(a.nextDueMillis());
        m.lapseAt = m.after(a.nextLapseMillis());
        m.quietUntil = m.shared.now + a.quietMillis();

        m.awaited.clear();
        m.redeliveries.clearAwaited();
        for (Lane lane : m.lanes.all()) {
            lane.open();
            lane.handing = 0;
            lane.ahead = 0;
            lane.busy = null;
            lane.claiming = null;
        }
        Set<Long> inStore = new HashSet<>(a.presentedTokens());
        List<TaskEntry> overtaken = keepActive(inStore);
        m.outbox.resend().values().forEach(item -> noteHeld(item, inStore));
        m.outcomes.forEach(item -> noteHeld(item, inStore));
        if (!log) {
            if (restarted) {
                oweWhatWasForgotten();
            }
            remember(a);
        }
        a.blocked().forEach(waits::block);
        m.outbox.resend().values().forEach(this::foresee);
        m.handovers.forEach(this::foresee);
        adoptHeads();
        for (PendingItem.Outcome item : m.outcomes) {
            m.tracker.unjudge(item.entry());
            if (item.isRelayed() && item.entry().key != null) {
                m.lanes.lane(item.entry().key).ahead++;
            }
        }
        List<TaskEntry> judgeAgain = m.tracker.takeJudged();
        judgeAgain.addAll(overtaken);
        // Where the store forgot whose the partition was, another may have worked on it meanwhile.
        judgeAgain.addAll(m.lanes.takeOut(entry ->
                m.otherClaims.containsKey(entry.position) || log && entry.tracked() && m.isSettled(entry.bit)));
        if (!log && m.shared.recalls == null) {
            recognise(judgeAgain, a.history().awaitingRedelivery());
        }
        m.behindRelays.removeIf(entry -> m.otherClaims.containsKey(entry.position));
        judgeAgain.forEach(judge::judge);
        m.first.clear();
        m.back.clear();
        m.lanes.touchAll();
        waits.giveUpAwaited();
        if (!m.opened) {
            handOverOwed();
            m.openWanted = true;
        }
    }

    /**
     * If the store forgot that a message was settled when it came before, what runs under its identity, or ended here, is
     * that message.
     */
    private void recognise(List<TaskEntry> judgeAgain, List<Position> awaitingRedelivery) {
        Map<String, Position> here = new HashMap<>();
        m.active.forEach((position, a) -> {
            if (a.owned && a.entry != null && !a.entry.tracked()) {
                here.put(RedeliveryMatcher.identityOf(position), position);
            }
        });
        m.outbox.resend().forEach((position, item) -> {
            if (item instanceof PendingItem.Outcome && !item.entry().tracked()) {
                here.put(RedeliveryMatcher.identityOf(position), position);
            }
        });
        Set<Position> came = new HashSet<>();
        m.tracker.entries().forEach(entry -> came.add(entry.position));
        m.otherClaims.forEach((position, claim) -> {
            if (!claim.inStore()) {
                here.put(RedeliveryMatcher.identityOf(position), position);
            }
        });
        awaitingRedelivery.forEach(position -> here.put(RedeliveryMatcher.identityOf(position), position));
        Map<Position, PendingItem.Outcome> ended = new HashMap<>();
        for (PendingItem.Outcome outcome : m.outcomes) {
            if (!outcome.entry().tracked()) {
                here.put(RedeliveryMatcher.identityOf(outcome.position()), outcome.position());
                ended.put(outcome.position(), outcome);
            }
        }
        here.values().removeIf(came::contains);
        judgeAgain.replaceAll(entry -> {
            boolean known = entry.matched || !entry.redelivered || !RedeliveryMatcher.isNamed(entry.position);
            Position position = known ? null : here.remove(RedeliveryMatcher.identityOf(entry.position));
            PendingItem.Outcome ending = position == null ? null : ended.get(position);
            if (ending != null) {
                m.undelivered.put(position, ending);
            }
            if (position == null) {
                return entry;
            }
            TaskEntry recognised = m.tracker.exchange(entry, entry.at(position));
            recognised.adoptFirst = awaitingRedelivery.contains(position);
            return recognised;
        });
    }

    /**
     * If the store forgot that it took a task over, the message was not acked and comes again, to any partition. The
     * store knows whether that is so.
     */
    private void oweWhatWasForgotten() {
        for (ActiveRun a : m.active.values()) {
            if (a.owned && a.entry != null) {
                a.owes |= m.owes(a.entry) && m.shared.recalls == null;
            }
        }
        for (PendingItem.Outcome outcome : m.outcomes) {
            if (m.owes(outcome.entry()) && m.shared.recalls == null) {
                m.undelivered.put(outcome.position(), outcome);
            }
        }
        m.outbox.resend().values().forEach(item -> m.owes(item.entry()));
    }

    /** The messages of these runs may come again to any partition, which must know that we do not have them. */
    private void handOverOwed() {
        for (ActiveRun a : m.active.values()) {
            TaskEntry entry = a.entry;
            if (m.shared.recalls != null && a.owned && a.owes && entry != null && !entry.tracked()) {
                m.handOver(entry, new Move.Adopt());
            }
        }
    }

    /** What a queue's redeliveries may be. */
    private void remember(StoreAnswer.Acquired a) {
        m.pages.forgetAsked();
        if (m.opened) {
            m.redeliveries.again(a);
            if (m.shared.recalls == null) {
                a.history().awaitingRedelivery().forEach(m.redeliveries::mayCome);
            }
            m.pages.again(a.history().pages());
            return;
        }
        if (m.shared.recalls != null) {
            m.redeliveries.clear();
            m.redeliveries.again(a);
            m.pages.begin(a.history().pages(), m.shared.now);
            return;
        }
        List<Position> own = new ArrayList<>();
        for (ActiveRun each : m.active.values()) {
            if (each.owned && each.owes) {
                own.add(each.run.position());
            }
        }
        m.undelivered.keySet().forEach(own::add);
        m.redeliveries.begin(own, a);
        m.pages.begin(a.history().pages(), m.shared.now);
    }

    /** Which runs still have their claims. Returns the delivered entries of those that have not. */
    private List<TaskEntry> keepActive(Set<Long> presentedTokens) {
        List<TaskEntry> overtaken = new ArrayList<>();
        for (ActiveRun a : m.active.values()) {
            a.owned = presentedTokens.contains(a.run.token());
            TaskEntry entry = a.entry;
            if (!a.owned) {
                a.entry = null;
                if (entry != null && entry.tracked() && entry.mark == DeliveryState.PENDING) {
                    overtaken.add(entry);
                }
                continue;
            }
            if (entry == null) {
                entry = new TaskEntry(
                        a.run.position(),
                        a.key,
                        -1,
                        a.run.sequence(),
                        0,
                        a.run.task(),
                        null,
                        a.run.attempt() - 1,
                        true);
                entry.owes = a.owes;
                a.entry = entry;
            }
            a.run.heldAgain(acquireSentAt, m.leasedUntil(acquireSentAt));
            if (a.key != null) {
                // If it never begins, it still goes before all that waits.
                entry.order = 0;
                m.lanes.lane(a.key).busy = entry;
            }
        }
        return overtaken;
    }

    private static void noteHeld(PendingItem item, Set<Long> inStore) {
        if (item instanceof PendingItem.Outcome outcome) {
            outcome.isOver = !inStore.contains(outcome.token());
        }
    }

    /** What an item that is sent again will do to its lane. */
    private void foresee(PendingItem item) {
        String key = item.entry().key;
        if (key == null) {
            return;
        }
        Lane lane = m.lanes.lane(key);
        if (item instanceof PendingItem.Outcome outcome) {
            lane.ahead += outcome.isRelayed() ? 1 : 0;
            if (PartitionState.blocks(outcome.verdict())) {
                lane.block(outcome.position());
            }
        } else if (item instanceof PendingItem.Handover handover) {
            if (handover.holdsLane()) {
                lane.handing++;
            }
            if (handover.move() instanceof Move.Adopt && m.active.containsKey(handover.position())) {
                lane.block(handover.position());
            }
        }
    }

    /** A key that is blocked already parks behind its head at once, so the store must have the head first. */
    private void adoptHeads() {
        for (ActiveRun a : m.active.values()) {
            Lane lane = a.owned && a.key != null ? m.lanes.find(a.key) : null;
            if (lane != null && lane.blocked && a.run.position().equals(lane.head)) {
                requests.adopt(a);
            }
        }
    }
}
