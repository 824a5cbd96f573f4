package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandCode;
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
 * partition, so it is held back until all of them have said what they know; then it is given to the one that had it, or
 * acked as settled when that is durable, or taken for new.
 *
 * <p>One round at a time: all partitions are asked about all that is held, what is found is redelivered, and then the
 * next round may begin. So no position is found by two.
 *
 * <p>{@code docs/adr/0005-rabbitmq-identity.md} says what is certain and what is not.
 */
final class Recalls {

    /** One that came again. */
    private static final class Held {
        final Judge at;
        final Entry entry;
        final long since;
        /** What it was, and where; null while that is not known, or where only a page knows. */
        @Nullable
        Position position;

        @Nullable
        Peer peer;

        Held(Judge at, Entry entry, long since) {
            this.at = at;
            this.entry = entry;
            this.since = since;
        }
    }

    /** Found, and not yet known to be durable. */
    private record Found(Held held, String runId, long at) {}

    /** A partition of the queue, whoever owns it. */
    private static final class Peer {
        final Partition partition;
        boolean up;
        boolean reached;

        boolean toRecall;
        StoreRequest.@Nullable Recall recall;
        StoreAnswer.@Nullable Recalled recalled;

        final ArrayDeque<Held> toRedeliver = new ArrayDeque<>();
        final List<Held> redelivered = new ArrayList<>();
        StoreRequest.@Nullable Redeliver redeliver;

        final ArrayDeque<Found> found = new ArrayDeque<>();
        StoreRequest.@Nullable Redeliver probe;
        long probedAt = Long.MIN_VALUE / 2;

        Peer(Partition partition) {
            this.partition = partition;
        }

        boolean isRedelivering() {
            return redeliver != null || !toRedeliver.isEmpty();
        }
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final int BATCH = 256;
    private static final int MAX_REQUEST_BYTES = 1 << 20;

    private final Shared shared;
    private final CoreSettings settings;
    private final Map<Partition, Peer> peers = new LinkedHashMap<>();

    /** All that is not decided. */
    private final Map<Entry, Held> all = new IdentityHashMap<>();
    /** For the next round. */
    private final List<Held> waiting = new ArrayList<>();
    /** In this round; none: there is no round. */
    private final List<Held> asked = new ArrayList<>();
    /** Each could be what runs elsewhere; that is not certain yet. */
    private final List<Held> uncertain = new ArrayList<>();

    private long roundAt;
    private long uncertainAt;

    Recalls(Shared shared) {
        this.shared = shared;
        this.settings = shared.settings;
    }

    /** The queue's partitions. Those that were known stay, for they may know something. */
    void partitions(Collection<Partition> partitions) {
        for (Partition partition : partitions) {
            if (!peers.containsKey(partition)) {
                Peer peer = new Peer(partition);
                peer.toRecall = !asked.isEmpty();
                peers.put(partition, peer);
            }
        }
    }

    /** Whether something is held back. */
    boolean isHolding() {
        return !all.isEmpty();
    }

    /** It came again, and is held back until it is known what it was. */
    void hold(Judge at, Entry entry) {
        if (!all.containsKey(entry)) {
            Held held = new Held(at, entry, shared.now);
            all.put(entry, held);
            waiting.add(held);
        }
    }

    /** Its channel ended: what it brought comes again. */
    void forget(Judge at) {
        all.values().removeIf(held -> held.at == at);
    }

    private boolean isGone(Held held) {
        return all.get(held.entry) != held;
    }

    // ---- the store

    void storeUp(Partition partition) {
        Peer peer = peers.get(partition);
        if (peer != null) {
            peer.up = true;
        }
    }

    /** What is unanswered is asked again. */
    void storeDown(Partition partition) {
        Peer peer = peers.get(partition);
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
        Peer peer = peers.get(request.partition());
        if (peer == null) {
            return;
        }
        if (request == peer.recall && answer instanceof StoreAnswer.Recalled recalled) {
            peer.recall = null;
            peer.recalled = recalled;
            if (peers.values().stream().allMatch(each -> each.recalled != null)) {
                decide();
            }
        } else if (request == peer.redeliver && answer instanceof StoreAnswer.Redelivered done) {
            redelivered(peer, done);
        } else if (request == peer.probe && answer instanceof StoreAnswer.Redelivered probed) {
            peer.probe = null;
            probed(peer, probed);
        }
    }

    private void redelivered(Peer peer, StoreAnswer.Redelivered answer) {
        List<Held> sent = List.copyOf(peer.redelivered);
        peer.redelivered.clear();
        peer.redeliver = null;
        for (int i = 0; i < sent.size(); i++) {
            Held held = sent.get(i);
            HandCode code = answer.codes().get(i);
            if (code == HandCode.OK || code == HandCode.DONE) {
                found(peer, held, answer.runId());
            } else {
                if (code == HandCode.NO_ROOM) {
                    roundAt = Math.max(roundAt, shared.now + settings.retryMillis());
                }
                held.position = null;
                held.peer = null;
                waiting.add(held);
            }
        }
    }

    /** It is settled, or in the store's custody; acked when that is durable. */
    private void found(Peer peer, Held held, String runId) {
        if (shared.keeps(Rule.RECALL_UNTIL_DURABLE)) {
            peer.found.addLast(new Found(held, runId, shared.now));
        } else {
            settled(held);
        }
    }

    private void probed(Peer peer, StoreAnswer.Redelivered answer) {
        if (!answer.durable()) {
            return;
        }
        List<Found> still = new ArrayList<>();
        for (Found found : peer.found) {
            if (!found.runId().equals(answer.runId())) {
                // The store may have forgotten it.
                waiting.add(found.held());
            } else if (found.at() + settings.horizonMillis() <= peer.probedAt) {
                settled(found.held());
            } else {
                still.add(found);
            }
        }
        peer.found.clear();
        peer.found.addAll(still);
    }

    private void settled(Held held) {
        if (!isGone(held)) {
            all.remove(held.entry);
            held.at.settledElsewhere(held.entry);
        }
    }

    // ---- what it was

    /** All partitions have said what they know. */
    private void decide() {
        List<Held> round = new ArrayList<>(asked);
        asked.clear();
        round.removeIf(this::isGone);
        Set<String> wanted = new HashSet<>();
        round.forEach(held -> wanted.add(Redeliveries.identityOf(held.entry.position)));
        Set<Position> taken = new HashSet<>();
        if (shared.keeps(Rule.MATCH_ONCE)) {
            all.values().forEach(held -> {
                if (held.position != null) {
                    taken.add(held.position);
                }
            });
        }
        Knowledge<Peer> knowledge = new Knowledge<>(wanted, taken, shared);
        for (Peer peer : peers.values()) {
            StoreAnswer.Recalled recalled = peer.recalled;
            if (recalled != null) {
                knowledge.add(peer, recalled);
            }
        }
        round.forEach(held -> decide(held, knowledge));
        peers.values().forEach(peer -> peer.recalled = null);
    }

    private void decide(Held held, Knowledge<Peer> knowledge) {
        if (held.position != null && held.peer != null) {
            // The store forgot, maybe, that it was told.
            held.peer.toRedeliver.addLast(held);
            return;
        }
        String identity = Redeliveries.identityOf(held.entry.position);
        boolean named = Redeliveries.isNamed(held.entry.position);
        Knowledge.Known<Peer> known = knowledge.certain(identity);
        boolean byLive = named || !shared.keeps(Rule.NAMELESS_NOT_BY_CLAIM);
        if (known == null && byLive) {
            known = knowledge.claimed(identity);
        }
        if (known != null) {
            held.position = known.position();
            held.peer = known.where();
            held.peer.toRedeliver.addLast(held);
            return;
        }
        Peer settledIn = knowledge.settled(identity);
        StoreAnswer.Recalled recalled = settledIn == null ? null : settledIn.recalled;
        if (settledIn != null && recalled != null) {
            found(settledIn, held, recalled.runId());
        } else if (isUncertain(held, named, knowledge)) {
            uncertain.add(held);
            uncertainAt = uncertain.size() == 1 ? shared.now + settings.leaseMillis() / 5 : uncertainAt;
        } else {
            all.remove(held.entry);
            held.at.notRecalled(held.entry);
        }
    }

    /** Whether it could be what runs elsewhere. That shows within these times. */
    private boolean isUncertain(Held held, boolean named, Knowledge<Peer> knowledge) {
        long leases = (shared.now - held.since) / settings.leaseMillis();
        return leases < 3 && !knowledge.isComplete()
                || leases < 2 && !named && knowledge.claimed(Redeliveries.identityOf(held.entry.position)) != null;
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
        for (Peer peer : peers.values()) {
            peer.toRedeliver.removeIf(this::isGone);
            peer.found.removeIf(found -> isGone(found.held()));
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
        return !waiting.isEmpty() && asked.isEmpty() && peers.values().stream().noneMatch(Peer::isRedelivering);
    }

    private void redeliver(Peer peer, Commands out) {
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
            Held held = peer.toRedeliver.removeFirst();
            Position position = held.position;
            if (position != null) {
                peer.redelivered.add(held);
                messages.add(new StoreRequest.Redelivery(position, held.entry.envelope(held.entry.unreadable)));
                bytes += held.entry.weight;
            }
        }
        long afterMillis = named ? 0 : ackedMillis();
        peer.redeliver = new StoreRequest.Redeliver(peer.partition, shared.executor, afterMillis, messages);
        out.send(peer.redeliver);
    }

    private static boolean isNamed(Held held) {
        return Redeliveries.isNamed(held.entry.position);
    }

    /**
     * Within this time the message is acked, if all goes well. A nameless one is not run again before: came it once more, it
     * would be taken for another. One with an id is known again by what was given up.
     */
    private long ackedMillis() {
        return settings.horizonMillis() + 4 * settings.probeMillis();
    }

    private static void recall(Peer peer, Commands out) {
        if (peer.toRecall) {
            peer.toRecall = false;
            peer.recall = new StoreRequest.Recall(peer.partition);
            out.send(peer.recall);
        }
    }

    private void probe(Peer peer, Commands out) {
        if (peer.probe == null && shared.now >= probeAt(peer)) {
            peer.probedAt = shared.now;
            peer.probe = new StoreRequest.Redeliver(peer.partition, shared.executor, 0, List.of());
            out.send(peer.probe);
        }
    }

    private long probeAt(Peer peer) {
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
        for (Peer peer : peers.values()) {
            if (peer.up && peer.probe == null) {
                next = Math.min(next, probeAt(peer));
            }
        }
        return next;
    }

    @Override
    public String toString() {
        return "held back=" + all.size();
    }
}
