package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;

/** The requests of an owner that are due now: steps, hand-overs, due tasks, renewals, patrol, commits. */
final class OwnerRequests {

    /** While a step is unanswered, a further one is worth its round trip only from this size on. */
    private static final int MIN_PIPELINED = 32;

    private static final int HANDS_IN_FLIGHT = 8;
    private static final int MAX_REQUEST_BYTES = 1 << 20;
    private static final int DUE_AT_ONCE = 64;
    private static final long MIRROR_MILLIS = 1_000;
    private long probedAt;
    private final PartitionState m;

    OwnerRequests(PartitionState m) {
        this.m = m;
    }

    /** A queue's messages without an id, which can't be recognised, are settled and acked before the channel is closed. */
    boolean settlesFirst(Commands out) {
        if (m.tracker.isLog() || m.releaseSent) {
            return false;
        }
        boolean waits = false;
        for (TaskEntry entry : m.tracker.entries()) {
            boolean named = RedeliveryMatcher.isNamed(entry.position);
            waits |= !named && entry.mark != DeliveryState.PENDING && entry.number != PartitionState.NEVER;
        }
        if (waits) {
            renewals(out);
        }
        return waits;
    }

    void sendAgain(Commands out) {
        while (!m.outbox.resend().isEmpty()) {
            List<PendingItem> items = m.outbox.takeResend(m.settings.batchSize());
            if (items.get(0) instanceof PendingItem.Outcome) {
                List<PendingItem.Outcome> batch = new ArrayList<>();
                items.forEach(item -> batch.add((PendingItem.Outcome) item));
                batch.forEach(outcome -> {
                    assignPage(outcome);
                    outcome.sentAgain = true;
                });
                sendStep(out, batch, batch.stream().map(o -> o.settle(0)).toList(), List.of(), List.of(), 0);
            } else {
                List<PendingItem.Handover> batch = new ArrayList<>();
                items.forEach(item -> batch.add((PendingItem.Handover) item));
                sendHand(out, batch);
            }
        }
    }

    void steps(Commands out) {
        boolean claims = m.phase == OwnershipPhase.OWNED && m.shared.now >= m.quietUntil;
        while (m.outbox.stepsInFlight() < m.settings.batchesInFlight()) {
            int ready = claims ? Math.min(m.lanes.readyCount(), m.shared.slots.free()) : 0;
            if (m.outcomes.size() + ready == 0
                    || m.outbox.stepsInFlight() > 0 && m.outcomes.size() + ready < MIN_PIPELINED) {
                return;
            }
            int requestBytes = 0;
            int slots = 0;
            List<PendingItem.Outcome> batch = new ArrayList<>();
            List<StoreRequest.Settle> settles = new ArrayList<>();
            while (batch.size() < m.settings.batchSize() && requestBytes < MAX_REQUEST_BYTES && !m.outcomes.isEmpty()) {
                PendingItem.Outcome outcome = m.outcomes.removeFirst();
                requestBytes += outcome.entry().weight;
                long nextToken = nextToken(outcome);
                assignPage(outcome);
                slots += nextToken == 0 ? 0 : 1;
                batch.add(outcome);
                settles.add(outcome.settle(nextToken));
                outcomeSent(outcome);
            }
            List<TaskEntry> entries = new ArrayList<>();
            List<StoreRequest.Claim> asked = new ArrayList<>();
            while (claims
                    && m.outcomes.isEmpty()
                    && batch.size() + entries.size() < m.settings.batchSize()
                    && m.lanes.hasReady()
                    && m.shared.slots.take()) {
                TaskEntry entry = m.lanes.pollReady();
                if (entry == null) {
                    m.shared.slots.give(1);
                    break;
                }
                entries.add(entry);
                boolean doubtful = entry.doubtful
                        || m.late.mayHaveSettled(entry.position)
                        || entry.key != null && m.foreignKeys.contains(entry.key);
                long bit = m.tracker.isLog() && doubtful ? entry.bit : -1;
                asked.add(new StoreRequest.Claim(entry.position, ++m.token, entry.key, entry.inStore, bit));
            }
            if (batch.isEmpty() && entries.isEmpty()) {
                return;
            }
            sendStep(out, batch, settles, entries, asked, slots + entries.size());
        }
    }

    private void assignPage(PendingItem item) {
        if (!m.tracker.isLog()) {
            m.pages.assign(item.entry(), m.shared.now);
        }
    }

    private void sendStep(
            Commands out,
            List<PendingItem.Outcome> batch,
            List<StoreRequest.Settle> settles,
            List<TaskEntry> entries,
            List<StoreRequest.Claim> claims,
            int slots) {
        StoreRequest.SettleAndClaim step = new StoreRequest.SettleAndClaim(
                m.outbox.next(), m.settings.leaseMillis(), m.incarnation, m.highest, settles, claims);
        for (PendingItem.Outcome outcome : batch) {
            outcome.sentIn = outcome.isOver ? outcome.sentIn : step.header().number();
        }
        m.outbox.sent(new RequestLog.Sent(step, batch, entries, List.of(), slots, m.shared.now, m.order));
        out.send(step);
    }

    /** The head of a blocked key may take the next of its lane along, in the slot that it leaves. */
    private long nextToken(PendingItem.Outcome outcome) {
        Lane lane = m.lanes.find(outcome.entry().key);
        boolean goesOn = outcome.verdict() instanceof Verdict.Success
                || outcome.verdict() instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.SKIP;
        boolean heads = lane != null && lane.blocked && outcome.position().equals(lane.head);
        return goesOn && heads && m.phase == OwnershipPhase.OWNED && m.shared.slots.take() ? ++m.token : 0;
    }

    /** The lane's state as it will be in the store when what follows arrives there. */
    private void outcomeSent(PendingItem.Outcome outcome) {
        TaskEntry entry = outcome.entry();
        if (entry.key == null) {
            return;
        }
        Lane lane = m.lanes.lane(entry.key);
        if (lane.busy == entry) {
            lane.busy = null;
        }
        if (PartitionState.blocks(outcome.verdict())) {
            lane.block(entry.position);
        } else if (outcome.verdict() instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.DRAIN) {
            drain(lane, entry);
        } else if (outcome.verdict() instanceof Verdict.Returned && !m.comesBackByItself(entry)) {
            // Nothing of this key may overtake it before it is back in its place.
            lane.busy = entry;
        }
        m.lanes.touch(lane);
    }

    /** What waits in memory at this moment dies with its head. */
    private void drain(Lane lane, TaskEntry head) {
        String error = Envelope.drainedBehind(m.partition, head.position);
        List<TaskEntry> kept = new ArrayList<>();
        for (TaskEntry entry : lane.queue) {
            if (entry.inStore) {
                kept.add(entry);
            } else {
                m.handOver(new PendingItem.Handover(entry, new Move.Bury(), error));
            }
        }
        lane.queue.clear();
        lane.queue.addAll(kept);
    }

    void hands(Commands out) {
        if (m.shared.now < m.roomAt) {
            return;
        }
        int room = HANDS_IN_FLIGHT - (m.outbox.pending().size() - m.outbox.stepsInFlight());
        while (room-- > 0) {
            int requestBytes = 0;
            List<PendingItem.Handover> batch = new ArrayList<>();
            while (batch.size() < m.settings.batchSize()
                    && requestBytes < MAX_REQUEST_BYTES
                    && !m.handovers.isEmpty()) {
                PendingItem.Handover handover = m.handovers.removeFirst();
                requestBytes += handover.entry().weight;
                batch.add(handover);
            }
            while (batch.size() < m.settings.batchSize() && requestBytes < MAX_REQUEST_BYTES && m.lanes.hasParkable()) {
                for (TaskEntry entry : m.lanes.pollParks(m.settings.batchSize() - batch.size())) {
                    requestBytes += entry.weight;
                    batch.add(new PendingItem.Handover(entry, new Move.Park()));
                }
            }
            if (batch.isEmpty()) {
                return;
            }
            sendHand(out, batch);
        }
    }

    private void sendHand(Commands out, List<PendingItem.Handover> batch) {
        List<StoreRequest.HandOver> entries = new ArrayList<>(batch.size());
        for (PendingItem.Handover handover : batch) {
            TaskEntry entry = handover.entry();
            boolean storeHasIt = entry.inStore && handover.parks() && !entry.tracked();
            assignPage(handover);
            entry.adoptFirst |= !m.tracker.isLog() && entry.tracked();
            entries.add(new StoreRequest.HandOver(
                    entry.position,
                    entry.key,
                    entry.memo(),
                    handover.move(),
                    storeHasIt ? null : entry.envelope(handover.error())));
        }
        StoreRequest.TakeCustody hand = new StoreRequest.TakeCustody(
                m.outbox.next(),
                m.incarnation,
                m.highest,
                m.shared.policy.maxParkedPerKey(),
                m.shared.policy.maxParkedPerPartition(),
                entries);
        m.outbox.sent(new RequestLog.Sent(hand, List.of(), List.of(), batch, 0, m.shared.now, m.order));
        out.send(hand);
    }

    void dues(Commands out) {
        boolean room = m.shared.slots.any()
                || m.shared.policy.ordered() && m.lanes.offeredCount() < PartitionState.MAX_OFFERED;
        if (m.shared.now < Math.max(m.dueAt, m.quietUntil) || m.dueInFlight || !room || !m.shared.slots.any()) {
            return;
        }
        int slots = m.shared.slots.takeUpTo(DUE_AT_ONCE);
        long first = m.token + 1;
        m.token += slots;
        m.dueInFlight = true;
        m.send(
                out,
                new StoreRequest.ClaimDue(
                        m.outbox.next(),
                        m.settings.leaseMillis(),
                        slots,
                        Math.max(0, PartitionState.MAX_OFFERED - m.lanes.offeredCount()),
                        first,
                        m.shared.policy.ordered()),
                slots);
    }

    void renewals(Commands out) {
        if (m.shared.now >= m.renewAt) {
            m.renewAt = m.shared.now + m.settings.renewMillis();
            sendRenew(out, List.of());
            List<ActiveRun> due = new ArrayList<>();
            for (ActiveRun a : m.active.values()) {
                boolean claimed = a.broughtBy == null || a.broughtBy.sentIn > 0;
                if (a.owned
                        && claimed
                        && a.run.leaseUntil()
                                < m.shared.now + m.settings.leaseMillis() - m.settings.renewMillis() / 2) {
                    due.add(a);
                }
            }
            for (int from = 0; from < due.size(); from += PartitionState.RENEW_BATCH) {
                sendRenew(out, due.subList(from, Math.min(due.size(), from + PartitionState.RENEW_BATCH)));
            }
        } else if (m.shared.now >= probeTime()) {
            sendRenew(out, List.of());
        }
    }

    long probeTime() {
        return m.proofs.waiting()
                ? Math.max(m.proofs.probeAt(), probedAt + m.settings.probeMillis())
                : PartitionState.NEVER;
    }

    private void sendRenew(Commands out, List<ActiveRun> runs) {
        if (runs.isEmpty()) {
            probedAt = m.shared.now;
        }
        m.send(
                out,
                new StoreRequest.RenewLeases(
                        m.outbox.next(),
                        m.settings.leaseMillis(),
                        runs.stream().map(a -> a.run.position()).toList(),
                        runs.stream().mapToLong(a -> a.run.token()).toArray()),
                0);
    }

    void patrol(Commands out) {
        if (m.shared.now >= m.lapseAt && !m.patrolInFlight) {
            m.patrolInFlight = true;
            // Who hears nothing of the store does not know whose leases ran out only because it did not hear them
            // either.
            long extend = m.isDeaf() ? m.settings.leaseMillis() : m.extendMillis;
            m.extendMillis = 0;
            m.send(
                    out,
                    new StoreRequest.ExpireLeases(
                            m.outbox.next(), m.settings.batchSize(), extend, m.shared.policy.ordered()),
                    0);
        }
    }

    /** Long runs whose delivery holds back the committed offset go into the store under their live claim. */
    void adopt() {
        if (m.shared.now < m.adoptAt) {
            return;
        }
        m.adoptAt = m.shared.now + m.settings.probeMillis();
        for (ActiveRun a : m.active.values()) {
            if (a.entry != null && m.shared.now - a.startedAt >= m.adoptAfter() && m.tracker.hasLaterThan(a.entry)) {
                adopt(a);
            }
        }
    }

    void adopt(ActiveRun a) {
        TaskEntry entry = a.entry;
        if (a.owned && !a.adopted && entry != null && entry.tracked() && entry.mark == DeliveryState.PENDING) {
            a.adopted = true;
            m.handOver(entry, new Move.Adopt());
        }
    }

    void commit(Commands out) {
        if (!m.tracker.isLog()) {
            List<TaskEntry> settled = m.tracker.takeSettled();
            if (!settled.isEmpty()) {
                settled.forEach(entry -> m.pages.acked(entry, m.shared.now));
                out.ack(
                        m.partition,
                        settled.stream().map(entry -> entry.sequence).toList());
            }
            return;
        }
        long prefix = m.tracker.prefix();
        if (mayCommit(prefix) && m.shared.now >= m.commitAt) {
            m.committing = prefix;
            m.commitAt = m.shared.now + m.settings.commitMillis();
            out.commit(m.partition, prefix);
        }
    }

    /** A commit below the mirror, where the broker forgot its own, would look like an operator's. */
    private boolean mayCommit(long prefix) {
        return m.committing < 0 && prefix > m.committed && prefix >= m.storedCommit;
    }

    void storedCommit(Commands out) {
        if (m.tracker.isLog() && m.committed > m.mirrored && m.shared.now >= m.mirrorAt) {
            m.mirrored = m.committed;
            m.mirrorAt = m.shared.now + MIRROR_MILLIS;
            m.send(out, new StoreRequest.RecordCommit(m.outbox.next(), m.incarnation, m.committed), 0);
        }
    }

    void dropPages(Commands out) {
        if (m.tracker.isLog()) {
            return;
        }
        if (m.droppable >= 0) {
            m.send(out, new StoreRequest.RecordCommit(m.outbox.next(), m.incarnation, m.droppable), 0);
            m.droppable = -1;
        }
        if (m.pages.toConfirm(m.redeliveries.isCaughtUp(), m.shared.now)) {
            out.confirm(m.partition);
        }
    }

    long commitTime() {
        return m.tracker.isLog() && mayCommit(m.tracker.prefix()) ? m.commitAt : PartitionState.NEVER;
    }
}
