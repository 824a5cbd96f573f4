package dev.tandem.ordering;

import dev.tandem.ordering.PartitionState.GonePosition;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import java.util.Map;

/**
 * What waits for deliveries: keys whose head is to come again, and tasks that the store offered before all that a former
 * owner may have begun has come again.
 */
final class DeferredTasks {

    private final PartitionState m;

    DeferredTasks(PartitionState m) {
        this.m = m;
    }

    void block(StoreAnswer.BlockedKey blocked) {
        Lane lane = m.lanes.lane(blocked.key());
        lane.block(blocked.head());
        if (blocked.reason() == StoreAnswer.BlockReason.REDELIVERY) {
            awaitHead(blocked.key());
        }
        m.lanes.touch(lane);
    }

    /** The key waits for a delivery of its head, which may never come. */
    void awaitHead(String key) {
        Lane lane = m.lanes.find(key);
        if (lane == null || lane.head == null) {
            return;
        }
        if (!m.tracker.isLog()) {
            m.redeliveries.await(lane.head, key);
            return;
        }
        long offset = m.offsetOf(lane.head);
        if (offset >= 0) {
            m.awaited.put(offset, key);
        } else {
            // Of an earlier incarnation: if it comes again, then as another position.
            m.gone.addLast(new GonePosition(lane.head, key));
        }
    }

    /** Keys that wait for offsets which can't come any more go on. */
    void giveUpAwaited() {
        if (m.phase != OwnershipPhase.OWNED || !m.opened || m.rewindWanted) {
            return;
        }
        m.redeliveries.takeAwaited().forEach((position, key) -> {
            if (!m.tracker.isPending(position)) {
                m.gone.addLast(new GonePosition(position, key));
            }
        });
        m.redeliveries.takeLeftovers().forEach(position -> m.gone.addLast(new GonePosition(position, null)));
        long passed = m.passed();
        while (!m.awaited.isEmpty() && m.awaited.firstKey() < passed) {
            Map.Entry<Long, String> first = m.awaited.pollFirstEntry();
            if (!m.tracker.isPending(first.getKey())) {
                m.gone.addLast(new GonePosition(Position.of(m.incarnation, first.getKey()), first.getValue()));
            }
        }
    }

    /**
     * All memory is taken by tasks that wait behind an offset for which there is no room: Redis forgot what came before it.
     * Then those before it go first, as they did.
     */
    void giveUpIfStuck() {
        boolean waits = !m.awaited.isEmpty() && m.opened && m.isFull(true, 1);
        if (!waits || !m.active.isEmpty() || !m.outcomes.isEmpty() || m.lanes.hasReady() || !m.handovers.isEmpty()) {
            return;
        }
        boolean works = m.outbox.pending().stream()
                .anyMatch(sent -> sent.request() instanceof StoreRequest.SettleAndClaim
                        || sent.request() instanceof StoreRequest.TakeCustody
                        || sent.request() instanceof StoreRequest.ClaimDue);
        if (!works) {
            Map.Entry<Long, String> first = m.awaited.pollFirstEntry();
            m.gone.addLast(new GonePosition(Position.of(m.incarnation, first.getKey()), first.getValue()));
        }
    }

    /** What a former owner may have begun goes first, in the broker's order. */
    void offered(TaskEntry entry) {
        if (entry.key == null || !mayComeAgain()) {
            m.lanes.enter(entry);
        } else if (m.behindRelays.size() < PartitionState.MAX_OFFERED) {
            m.behindRelays.add(entry);
        }
    }

    /** Before what was never delivered to anybody, all that may have begun has come. */
    void comes(Delivery delivery) {
        boolean isNew = m.tracker.isLog() ? delivery.sequence() >= m.relayedUpTo : !delivery.redelivered();
        if (isNew) {
            m.behindUntil = m.shared.now;
            offerBehindRelays();
        }
    }

    /** Whether the broker has still to deliver what a former owner may have begun. */
    private boolean mayComeAgain() {
        if (m.shared.now >= m.behindUntil) {
            return false;
        }
        return m.tracker.isLog() ? m.passed() < m.relayedUpTo : !m.redeliveries.isCaughtUp();
    }

    void offerBehindRelays() {
        if (!m.behindRelays.isEmpty() && !mayComeAgain()) {
            List<TaskEntry> waiting = List.copyOf(m.behindRelays);
            m.behindRelays.clear();
            for (TaskEntry entry : waiting) {
                if (!m.isHere(entry.position)) {
                    entry.order = ++m.order;
                    m.lanes.enter(entry);
                }
            }
        }
    }

    void gone(Commands out) {
        for (GonePosition went = m.gone.pollFirst(); went != null; went = m.gone.pollFirst()) {
            m.send(out, new StoreRequest.AbandonPosition(m.outbox.next(), went.position(), went.key()), 0);
        }
    }
}
