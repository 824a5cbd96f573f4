package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What came again to the partitions of an unordered queue in this process. Its first delivery may have been to any
 * partition, so it is pending back until all of them have said what they know; then it is given to the one that had it, or
 * acked as settled when that is durable, or taken for new.
 *
 * <p>One round at a time: all partitions are asked about all that is pending, what is found is redelivered, and then the
 * next round may begin. So no position is found by two.
 *
 * <p>{@code docs/adr/0005-rabbitmq-identity.md} says what is certain and what is not.
 */
final class RedeliveryResolver {

    /** One that came again. */
    private static final class PendingRedelivery {
        final DeliveryRouter at;
        final TaskEntry entry;
        final long since;
        /** What it was, and where; null while that is not known, or where only a page knows. */
        @Nullable
        Position position;

        @Nullable
        PartitionPeer peer;

        PendingRedelivery(DeliveryRouter at, TaskEntry entry, long since) {
            this.at = at;
            this.entry = entry;
            this.since = since;
        }
    }

    /** Found, and not yet known to be durable. */
    private record Found(PendingRedelivery pending, String runId, long at) {}

    /** A partition of the queue, whoever owns it. */
    private static final class PartitionPeer {
        final Partition partition;
        boolean up;
        boolean reached;

        boolean toRecall;
        StoreRequest.@Nullable ListKnownPositions recall;
        StoreAnswer.@Nullable KnownPositions recalled;

        final ArrayDeque<PendingRedelivery> toRedeliver = new ArrayDeque<>();
        final List<PendingRedelivery> redelivered = new ArrayList<>();
        StoreRequest.@Nullable ForwardRedeliveries redeliver;

        final ArrayDeque<Found> found = new ArrayDeque<>();
        StoreRequest.@Nullable ForwardRedeliveries probe;
        long probedAt = Long.MIN_VALUE / 2;

        PartitionPeer(Partition partition) {
            this.partition = partition;
        }

        boolean isRedelivering() {
            return redeliver != null || !toRedeliver.isEmpty();
        }
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final int BATCH = 256;
    private static final int MAX_REQUEST_BYTES = 1 << 20;

    private final QueueContext shared;
    private final CoreSettings settings;
    private final Map<Partition, PartitionPeer> peers = new LinkedHashMap<>();

    /** All that is not decided. */
    private final Map<TaskEntry, PendingRedelivery> all = new IdentityHashMap<>();
    /** For the next round. */
    private final List<PendingRedelivery> waiting = new ArrayList<>();
    /** In this round; none: there is no round. */
    private final List<PendingRedelivery> asked = new ArrayList<>();
    /** Each could be what runs elsewhere; that is not certain yet. */
    private final List<PendingRedelivery> uncertain = new ArrayList<>();

    private long roundAt;
    private long uncertainAt;

    RedeliveryResolver(QueueContext shared) {
        this.shared = shared;
        this.settings = shared.settings;
    }

    /** The queue's partitions. Those that were known stay, for they may know something. */
    void partitions(Collection<Partition> partitions) {
        for (Partition partition : partitions) {
            if (!peers.containsKey(partition)) {
                PartitionPeer peer = new PartitionPeer(partition);
                peer.toRecall = !asked.isEmpty();
                peers.put(partition, peer);
            }
        }
    }

    /** Whether something is pending back. */
    boolean isHolding() {
        return !all.isEmpty();
    }

    /** It came again, and is pending back until it is known what it was. */
    void hold(DeliveryRouter at, TaskEntry entry) {
        if (!all.containsKey(entry)) {
            PendingRedelivery pending = new PendingRedelivery(at, entry, shared.now);
            all.put(entry, pending);
            waiting.add(pending);
        }
    }

    /** Its channel ended: what it brought comes again. */
    void forget(DeliveryRouter at) {
        all.values().removeIf(pending -> pending.at == at);
    }

    private boolean isGone(PendingRedelivery pending) {
        return all.get(pending.entry) != pending;
    }

    // ---- the store

    void storeUp(Partition partition) {
        PartitionPeer peer = peers.get(partition);
        if (peer != null) {
            peer.up = true;
        }
    }

    /** What is unanswered is asked again. */
    void storeDown(Partition partition) {
        PartitionPeer peer = peers.get(partition);
        if (peer == null) {
            return;
        }
        peer.up = false;
        peer.reached = false;
        peer.toRecall |= peer.recall != null;
        peer.recall = null;
        for (int i = peer.redelivered.size() - 1; i >= 0; i--) {
            peer.toRedeliver.addFirst(peer.redelivered.get(i));
        }
        peer.redelivered.clear();
        peer.redeliver = null;
        peer.probe = null;
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        PartitionPeer peer = peers.get(request.partition());
        if (peer == null) {
            return;
        }
        if (request == peer.recall && answer instanceof StoreAnswer.KnownPositions recalled) {
            peer.recall = null;
            peer.recalled = recalled;
            if (peers.values().stream().allMatch(each -> each.recalled != null)) {
                decide();
            }
        } else if (request == peer.redeliver && answer instanceof StoreAnswer.RedeliveriesForwarded done) {
            redelivered(peer, done);
        } else if (request == peer.probe && answer instanceof StoreAnswer.RedeliveriesForwarded probed) {
            peer.probe = null;
            probed(peer, probed);
        }
    }

    private void redelivered(PartitionPeer peer, StoreAnswer.RedeliveriesForwarded answer) {
        List<PendingRedelivery> sent = List.copyOf(peer.redelivered);
        peer.redelivered.clear();
        peer.redeliver = null;
        for (int i = 0; i < sent.size(); i++) {
            PendingRedelivery pending = sent.get(i);
            HandOverResult code = answer.codes().get(i);
            if (code == HandOverResult.OK || code == HandOverResult.DONE) {
                found(peer, pending, answer.runId());
            } else {
                if (code == HandOverResult.NO_ROOM) {
                    roundAt = Math.max(roundAt, shared.now + settings.retryMillis());
                }
                pending.position = null;
                pending.peer = null;
                waiting.add(pending);
            }
        }
    }

    /** It is settled, or in the store's custody; acked when that is durable. */
    private void found(PartitionPeer peer, PendingRedelivery pending, String runId) {
        peer.found.addLast(new Found(pending, runId, shared.now));
    }

    private void probed(PartitionPeer peer, StoreAnswer.RedeliveriesForwarded answer) {
        if (!answer.durable()) {
            return;
        }
        List<Found> still = new ArrayList<>();
        for (Found found : peer.found) {
            if (!found.runId().equals(answer.runId())) {
                // The store may have forgotten it.
                waiting.add(found.pending());
            } else if (found.at() + settings.horizonMillis() <= peer.probedAt) {
                settled(found.pending());
            } else {
                still.add(found);
            }
        }
        peer.found.clear();
        peer.found.addAll(still);
    }

    private void settled(PendingRedelivery pending) {
        if (!isGone(pending)) {
            all.remove(pending.entry);
            pending.at.settledElsewhere(pending.entry);
        }
    }

    // ---- what it was

    /** All partitions have said what they know. */
    private void decide() {
        List<PendingRedelivery> round = new ArrayList<>(asked);
        asked.clear();
        round.removeIf(this::isGone);
        Set<String> wanted = new HashSet<>();
        round.forEach(pending -> wanted.add(RedeliveryMatcher.identityOf(pending.entry.position)));
        Set<Position> taken = new HashSet<>();
        all.values().forEach(pending -> {
            if (pending.position != null) {
                taken.add(pending.position);
            }
        });
        RedeliveryIndex<PartitionPeer> knowledge = new RedeliveryIndex<>(wanted, taken);
        for (PartitionPeer peer : peers.values()) {
            StoreAnswer.KnownPositions recalled = peer.recalled;
            if (recalled != null) {
                knowledge.add(peer, recalled);
            }
        }
        round.forEach(pending -> decide(pending, knowledge));
        peers.values().forEach(peer -> peer.recalled = null);
    }

    private void decide(PendingRedelivery pending, RedeliveryIndex<PartitionPeer> knowledge) {
        if (pending.position != null && pending.peer != null) {
            // The store forgot, maybe, that it was told.
            pending.peer.toRedeliver.addLast(pending);
            return;
        }
        String identity = RedeliveryMatcher.identityOf(pending.entry.position);
        boolean named = RedeliveryMatcher.isNamed(pending.entry.position);
        RedeliveryIndex.Known<PartitionPeer> known = knowledge.certain(identity);
        if (known == null && named) {
            known = knowledge.claimed(identity);
        }
        if (known != null) {
            pending.position = known.position();
            pending.peer = known.where();
            pending.peer.toRedeliver.addLast(pending);
            return;
        }
        PartitionPeer settledIn = knowledge.settled(identity);
        StoreAnswer.KnownPositions recalled = settledIn == null ? null : settledIn.recalled;
        if (settledIn != null && recalled != null) {
            found(settledIn, pending, recalled.runId());
        } else if (isUncertain(pending, named, knowledge)) {
            uncertain.add(pending);
            uncertainAt = uncertain.size() == 1 ? shared.now + settings.leaseMillis() / 5 : uncertainAt;
        } else {
            all.remove(pending.entry);
            pending.at.notRecalled(pending.entry);
        }
    }

    /** Whether it could be what runs elsewhere. That shows within these times. */
    private boolean isUncertain(PendingRedelivery pending, boolean named, RedeliveryIndex<PartitionPeer> knowledge) {
        long leases = (shared.now - pending.since) / settings.leaseMillis();
        return leases < 3 && !knowledge.isComplete()
                || leases < 2
                        && !named
                        && knowledge.claimed(RedeliveryMatcher.identityOf(pending.entry.position)) != null;
    }

    // ---- what is to be done now

    void flush(Commands out) {
        if (!uncertain.isEmpty() && shared.now >= uncertainAt) {
            waiting.addAll(uncertain);
            uncertain.clear();
        }
        waiting.removeIf(this::isGone);
        if (mayBegin() && shared.now >= roundAt) {
            roundAt = shared.now + settings.probeMillis() / 2;
            asked.addAll(waiting);
            waiting.clear();
            peers.values().forEach(peer -> peer.toRecall = true);
        }
        for (PartitionPeer peer : peers.values()) {
            peer.toRedeliver.removeIf(this::isGone);
            peer.found.removeIf(found -> isGone(found.pending()));
            boolean needed = peer.toRecall || !peer.toRedeliver.isEmpty() || !peer.found.isEmpty();
            if (peer.up) {
                redeliver(peer, out);
                recall(peer, out);
                probe(peer, out);
            } else if (needed && !peer.reached) {
                peer.reached = true;
                out.reach(peer.partition);
            }
        }
    }

    private boolean mayBegin() {
        return !waiting.isEmpty()
                && asked.isEmpty()
                && peers.values().stream().noneMatch(PartitionPeer::isRedelivering);
    }

    private void redeliver(PartitionPeer peer, Commands out) {
        if (peer.redeliver != null || peer.toRedeliver.isEmpty()) {
            return;
        }
        List<StoreRequest.Redelivery> messages = new ArrayList<>();
        boolean named = isNamed(peer.toRedeliver.getFirst());
        int bytes = 0;
        while (messages.size() < BATCH
                && bytes < MAX_REQUEST_BYTES
                && !peer.toRedeliver.isEmpty()
                && isNamed(peer.toRedeliver.getFirst()) == named) {
            PendingRedelivery pending = peer.toRedeliver.removeFirst();
            Position position = pending.position;
            if (position != null) {
                peer.redelivered.add(pending);
                messages.add(new StoreRequest.Redelivery(position, pending.entry.envelope(pending.entry.unreadable)));
                bytes += pending.entry.weight;
            }
        }
        long afterMillis = named ? 0 : ackedMillis();
        peer.redeliver = new StoreRequest.ForwardRedeliveries(peer.partition, shared.executor, afterMillis, messages);
        out.send(peer.redeliver);
    }

    private static boolean isNamed(PendingRedelivery pending) {
        return RedeliveryMatcher.isNamed(pending.entry.position);
    }

    /**
     * Within this time the message is acked, if all goes well. A nameless one is not run again before: came it once more, it
     * would be taken for another. One with an id is known again by what was given up.
     */
    private long ackedMillis() {
        return settings.horizonMillis() + 4 * settings.probeMillis();
    }

    private static void recall(PartitionPeer peer, Commands out) {
        if (peer.toRecall) {
            peer.toRecall = false;
            peer.recall = new StoreRequest.ListKnownPositions(peer.partition);
            out.send(peer.recall);
        }
    }

    private void probe(PartitionPeer peer, Commands out) {
        if (peer.probe == null && shared.now >= probeAt(peer)) {
            peer.probedAt = shared.now;
            peer.probe = new StoreRequest.ForwardRedeliveries(peer.partition, shared.executor, 0, List.of());
            out.send(peer.probe);
        }
    }

    private long probeAt(PartitionPeer peer) {
        Found first = peer.found.peekFirst();
        return first == null
                ? NEVER
                : Math.max(first.at() + settings.horizonMillis(), peer.probedAt + settings.probeMillis());
    }

    /** When {@link #flush} has something to do without any event. */
    long nextTurn() {
        if (all.isEmpty()) {
            return NEVER;
        }
        long next = mayBegin() ? roundAt : NEVER;
        next = Math.min(next, uncertain.isEmpty() ? NEVER : uncertainAt);
        for (PartitionPeer peer : peers.values()) {
            if (peer.up && peer.probe == null) {
                next = Math.min(next, probeAt(peer));
            }
        }
        return next;
    }

    @Override
    public String toString() {
        return "pending back=" + all.size();
    }
}
