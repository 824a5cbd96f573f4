package dev.tandem.ordering;

import dev.tandem.ordering.PartitionState.GonePosition;
import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Move;
import org.jspecify.annotations.Nullable;

/** Decides where a task goes that the broker delivered: to its lane, to the store, or nowhere because it is settled. */
final class DeliveryRouter {

    private final PartitionState m;

    DeliveryRouter(PartitionState m) {
        this.m = m;
    }

    TaskEntry entry(Delivery delivery) {
        long arrival = ++m.order;
        boolean log = m.tracker.isLog();
        RedeliveryMatcher.Match match = log ? null : m.redeliveries.match(delivery);
        Position position = match != null
                ? match.position()
                : log
                        ? Position.of(m.incarnation, delivery.sequence())
                        : RedeliveryMatcher.position(delivery.identity(), m.outbox.writer(), arrival);
        String key = delivery.unreadable() == null ? m.keyOf(delivery.task()) : null;
        TaskEntry entry = new TaskEntry(
                position,
                key,
                delivery.sequence(),
                log ? delivery.sequence() : -1,
                arrival,
                delivery.task(),
                delivery.unreadable(),
                0,
                false);
        if (!log) {
            entry.redelivered = delivery.redelivered();
            entry.matched = match != null;
            entry.adoptFirst = match != null && match.adopt();
        }
        return entry;
    }

    /** Decides where a delivered position goes. */
    void judge(TaskEntry entry) {
        RedeliveryResolver recalls = m.shared.recalls;
        if (recalls != null && isToRecall(entry)) {
            recalls.hold(this, entry);
            return;
        }
        m.highest = Math.max(m.highest, entry.bit + 1);
        @Nullable String waiting = m.awaited.remove(entry.bit);
        Lane lane = m.lanes.find(entry.key);
        if (lane != null && entry.position.equals(lane.head) || m.first.contains(entry.position)) {
            // All of its key wait for it, and still will if the store forgets that.
            entry.order = 0;
        }
        ActiveRun running = m.active.get(entry.position);
        PendingItem.Outcome ending = m.undelivered.get(entry.position);
        Long settledBy = m.settledAhead.get(entry.bit);
        PendingItem planned = m.outbox.resend().get(entry.position);
        boolean settled = m.tracker.isLog() ? m.isSettled(entry.bit) : m.redeliveries.isRemembered(entry);
        entry.inStore = settled && running != null && running.entry == entry;
        if (settled && waiting != null && running == null && ending == null && planned == null) {
            // It came, and has ended long since; the store forgot that.
            m.gone.addLast(new GonePosition(entry.position, waiting));
        }
        if (settled) {
            m.pages.keepFor(entry, m.shared.now);
            m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, m.acquiredWith);
            if (m.back.contains(entry.position)) {
                m.waitInPlace(entry);
            }
        } else if (settledBy != null) {
            m.settledAhead.remove(entry.bit);
            m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, settledBy);
        } else if (running != null && running.owned && entry.matched && !RedeliveryMatcher.isNamed(entry.position)) {
            // Another owner may have had its message meanwhile, and then this is a twin. The store knows.
            entry.maybeTwin = true;
            m.handOver(entry, new Move.Adopt());
        } else if (running != null && running.owned) {
            m.attach(running, entry);
        } else if (ending != null && !PartitionState.isOwed(ending)) {
            m.undelivered.remove(entry.position);
            m.attach(ending, entry);
        } else if (ending != null || planned instanceof PendingItem.Outcome outcome && PartitionState.isOwed(outcome)) {
            // What is recorded of it comes first; then it is taken out of what is owed.
            m.undelivered.remove(entry.position);
            m.handOver(entry, new Move.Adopt());
        } else if (planned != null) {
            m.outbox
                    .resend()
                    .replace(entry.position, planned.inPlaceOf(new PendingItem.Handover(entry, new Move.Adopt())));
        } else if (m.otherClaims.containsKey(entry.position) || entry.adoptFirst) {
            m.handOver(entry, new Move.Adopt());
        } else if (entry.unreadable != null) {
            m.handOver(entry, new Move.Bury());
        } else if (entry.requireTask().notBefore() > m.shared.wall) {
            m.handOver(entry, new Move.Schedule(entry.requireTask().notBefore()));
        } else {
            // If the store offered it and then forgot it, this has its place.
            m.behindRelays.removeIf(offer -> offer.position.equals(entry.position));
            m.lanes.enterInPlace(entry);
        }
    }

    /** It was delivered before, to any partition of an unordered queue. */
    private static boolean isToRecall(TaskEntry entry) {
        boolean nothingToKnowItBy = RedeliveryMatcher.identityOf(entry.position).isEmpty();
        return entry.redelivered && !entry.recalled && !nothingToKnowItBy;
    }

    /** All partitions were asked, and none knows it. */
    void notRecalled(TaskEntry entry) {
        entry.recalled = true;
        if (m.phase == OwnershipPhase.OWNED) {
            judge(entry);
        } else {
            m.tracker.mark(entry, DeliveryState.REPORTED_SETTLED, PartitionState.NEVER);
        }
    }

    /** The partition that had it answers for it, and does so durably. */
    void settledElsewhere(TaskEntry entry) {
        m.tracker.mark(entry, DeliveryState.SETTLED, 0);
    }

    /** It was no earlier delivery after all. */
    TaskEntry asAnother(TaskEntry entry) {
        Position fresh =
                RedeliveryMatcher.position(RedeliveryMatcher.identityOf(entry.position), m.outbox.writer(), ++m.order);
        TaskEntry other = m.tracker.exchange(entry, entry.at(fresh));
        other.matched = false;
        return other;
    }
}
