package dev.tandem.ordering.redelivery;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what the redelivered messages of an unordered queue were. Their first delivery may have been to any partition,
 * so each is held back until all partitions have said what they know. Then it is forwarded to the partition that had it, or
 * acked as settled once that is durable, or taken for a new message.
 *
 * <p>There is one round at a time: all partitions are asked about all messages that are held back, what is found is
 * forwarded, and only then may the next round begin. So no position is found by two messages.
 *
 * <p>{@code docs/adr/0005-rabbitmq-identity.md} says what is certain and what is not.
 */
public final class RedeliveryResolver {

    /** A partition of this process that a redelivered message was delivered to. */
    public interface Receiver {

        /** All partitions were asked, and none knows the message. */
        void isUnknown(TaskEntry entry);

        /** The partition that had the message answers for it, and does so durably. */
        void isSettledElsewhere(TaskEntry entry);
    }

    /** Takes the requests of the resolver. */
    public interface Output {

        void send(StoreRequest request);

        /** Opens the connection to the store of a partition that is not ours. */
        void reach(Partition partition);
    }

    /**
     * The times of the platform's protocol, in milliseconds, as in {@code CoreSettings}.
     *
     * @param retryMillis how long to wait after a store without room
     */
    public record Times(long leaseMillis, long horizonMillis, long probeMillis, long retryMillis) {}

    private static final long NEVER = Long.MAX_VALUE;

    private final String executor;
    private final Times times;
    private final LongSupplier clock;
    private final Map<Partition, PartitionPeer> peers = new LinkedHashMap<>();

    /** All messages that are not decided. */
    private final Map<TaskEntry, PendingRedelivery> undecided = new IdentityHashMap<>();
    /** Messages for the next round. */
    private final List<PendingRedelivery> waiting = new ArrayList<>();
    /** Messages in this round. Empty if there is no round. */
    private final List<PendingRedelivery> asked = new ArrayList<>();
    /** Messages that may be what runs elsewhere, which is not certain yet. */
    private final List<PendingRedelivery> uncertain = new ArrayList<>();
    /** Messages whose earlier delivery is still here. They are asked about once that one is acked. */
    private final List<PendingRedelivery> behind = new ArrayList<>();

    /** All that was delivered to this process and is not acked, in any partition. */
    private Supplier<Stream<TaskEntry>> delivered = Stream::empty;

    private long roundAt;
    private long uncertainAt;
    private long behindAt;

    /**
     * @param executor unique per process start
     * @param clock the core's monotonic time, in milliseconds
     */
    public RedeliveryResolver(String executor, Times times, LongSupplier clock) {
        this.executor = executor;
        this.times = times;
        this.clock = clock;
    }

    /** Sets what returns the deliveries of all partitions of this process. */
    public void deliveries(Supplier<Stream<TaskEntry>> ofAllPartitions) {
        delivered = ofAllPartitions;
    }

    private long now() {
        return clock.getAsLong();
    }

    /** Adds partitions of the queue. Those that were known stay, for they may know something. */
    public void partitions(Collection<Partition> partitions) {
        for (Partition partition : partitions) {
            if (!peers.containsKey(partition)) {
                PartitionPeer peer = new PartitionPeer(partition);
                if (!asked.isEmpty()) {
                    peer.queryLater();
                }
                peers.put(partition, peer);
            }
        }
    }

    public boolean isHoldingBack() {
        return !undecided.isEmpty();
    }

    /** Holds a redelivered message back until it is known what it was. */
    public void holdBack(Receiver receiver, TaskEntry entry) {
        if (!undecided.containsKey(entry)) {
            PendingRedelivery message = new PendingRedelivery(receiver, entry, now());
            undecided.put(entry, message);
            waiting.add(message);
        }
    }

    /** Forgets the messages of a channel that ended. They will be delivered again. */
    public void forget(Receiver receiver) {
        undecided.values().removeIf(message -> message.receiver() == receiver);
    }

    private boolean isOver(PendingRedelivery message) {
        return undecided.get(message.entry()) != message;
    }

    // ---- the store ----

    public void storeUp(Partition partition) {
        PartitionPeer peer = peers.get(partition);
        if (peer != null) {
            peer.storeUp();
        }
    }

    public void storeDown(Partition partition) {
        PartitionPeer peer = peers.get(partition);
        if (peer != null) {
            peer.storeDown();
        }
    }

    public void answered(StoreRequest request, StoreAnswer answer) {
        PartitionPeer peer = peers.get(request.partition());
        if (peer == null) {
            return;
        }
        if (peer.queryAnswered(request, answer)) {
            if (peers.values().stream().allMatch(each -> each.known() != null)) {
                decide();
            }
        } else if (answer instanceof StoreAnswer.RedeliveriesForwarded forwarded) {
            if (peer.isProbe(request)) {
                probed(peer.probeAnswered(forwarded, times.horizonMillis()));
            } else {
                forwarded(peer, peer.takeForwarded(request), forwarded);
            }
        }
    }

    private void forwarded(PartitionPeer peer, List<PendingRedelivery> sent, StoreAnswer.RedeliveriesForwarded answer) {
        for (int i = 0; i < sent.size(); i++) {
            PendingRedelivery message = sent.get(i);
            HandOverResult result = answer.results().get(i);
            if (result == HandOverResult.OK || result == HandOverResult.DONE) {
                peer.answersFor(message, answer.runId(), now());
            } else {
                if (result == HandOverResult.NO_ROOM) {
                    roundAt = Math.max(roundAt, now() + times.retryMillis());
                }
                message.forget();
                waiting.add(message);
            }
        }
    }

    private void probed(PartitionPeer.Probed probed) {
        waiting.addAll(probed.forgotten());
        probed.durable().forEach(this::settled);
    }

    private void settled(PendingRedelivery message) {
        if (!isOver(message)) {
            undecided.remove(message.entry());
            message.receiver().isSettledElsewhere(message.entry());
        }
    }

    // ---- what a message was ----

    /** Decides about the messages of this round, since all partitions have said what they know. */
    private void decide() {
        List<PendingRedelivery> round = new ArrayList<>(asked);
        asked.clear();
        round.removeIf(this::isOver);
        Set<String> wanted = new HashSet<>();
        round.forEach(message -> wanted.add(message.identity()));
        RedeliveryIndex<PartitionPeer> index = new RedeliveryIndex<>(wanted, matched());
        for (PartitionPeer peer : peers.values()) {
            StoreAnswer.KnownPositions known = peer.known();
            if (known != null) {
                index.add(peer, known);
            }
        }
        Set<String> started = new HashSet<>();
        for (PendingRedelivery message : round) {
            if (started.contains(message.identity())) {
                waiting.add(message); // behind its twin
            } else if (!decide(message, index) && message.isNamed()) {
                started.add(message.identity());
            }
        }
        peers.values().forEach(PartitionPeer::forgetKnown);
    }

    /** Returns the positions that messages are matched with already. */
    private Set<Position> matched() {
        Set<Position> matched = new HashSet<>();
        for (PendingRedelivery message : undecided.values()) {
            if (message.position() != null) {
                matched.add(message.position());
            }
        }
        return matched;
    }

    /** Decides about a message. @return whether it is known, or may be; otherwise it is a new one */
    private boolean decide(PendingRedelivery message, RedeliveryIndex<PartitionPeer> index) {
        if (message.position() != null && message.peer() != null) {
            // The store may have forgotten that the message was forwarded.
            message.peer().forwardLater(message);
            return true;
        }
        String identity = message.identity();
        RedeliveryIndex.Known<PartitionPeer> known = index.certain(identity);
        if (known == null && message.isNamed()) {
            known = index.claimed(identity);
        }
        if (known != null) {
            message.found(known.where(), known.position());
            return true;
        }
        PartitionPeer settledIn = index.settled(identity);
        StoreAnswer.KnownPositions answer = settledIn == null ? null : settledIn.known();
        if (settledIn != null && answer != null) {
            settledIn.answersFor(message, answer.runId(), now());
        } else if (isUncertain(message, index)) {
            uncertain.add(message);
            uncertainAt = uncertain.size() == 1 ? now() + times.leaseMillis() / 5 : uncertainAt;
        } else {
            undecided.remove(message.entry());
            message.receiver().isUnknown(message.entry());
            return false;
        }
        return true;
    }

    /** Begins a round about all messages that wait for one, except for those whose earlier delivery is still here. */
    private void beginRound() {
        roundAt = now() + times.probeMillis() / 2;
        Set<String> wanted = new HashSet<>();
        waiting.forEach(message -> wanted.add(message.identity()));
        Set<String> here = deliveredHere(wanted);
        waiting.removeIf(
                message -> (message.position() != null || !here.contains(message.identity())) && asked.add(message));
        behind.addAll(waiting);
        waiting.clear();
        behindAt = now() + times.probeMillis();
        if (!asked.isEmpty()) {
            peers.values().forEach(PartitionPeer::queryLater);
        }
    }

    /**
     * Returns the identities of named messages that were delivered to this process and are not acked. The broker may have
     * taken such a message back without a word to its channel, as a cluster does whose nodes lose contact.
     */
    private Set<String> deliveredHere(Set<String> wanted) {
        Set<String> here = new HashSet<>();
        delivered
                .get()
                .filter(entry -> Identities.isNamed(entry.position()) && !undecided.containsKey(entry))
                .map(entry -> Identities.of(entry.position()))
                .filter(wanted::contains)
                .forEach(here::add);
        return here;
    }

    /** Whether the message may be what runs elsewhere. That shows within a few leases. */
    private boolean isUncertain(PendingRedelivery message, RedeliveryIndex<PartitionPeer> index) {
        long leases = (now() - message.since()) / times.leaseMillis();
        return leases < 3 && !index.isComplete()
                || leases < 2 && !message.isNamed() && index.claimed(message.identity()) != null;
    }

    // ---- what is due now ----

    public void flush(Output out) {
        if (!uncertain.isEmpty() && now() >= uncertainAt) {
            waiting.addAll(uncertain);
            uncertain.clear();
        }
        if (!behind.isEmpty() && now() >= behindAt) {
            waiting.addAll(behind);
            behind.clear();
        }
        waiting.removeIf(this::isOver);
        if (mayBeginRound() && now() >= roundAt) {
            beginRound();
        }
        for (PartitionPeer peer : peers.values()) {
            peer.drop(this::isOver);
            if (peer.isUp()) {
                sendIfAny(out, peer.takeForward(executor, namelessMillis()));
                sendIfAny(out, peer.takeQuery());
                if (now() >= probeAt(peer)) {
                    out.send(peer.takeProbe(executor, now()));
                }
            } else if (peer.takeReachWanted()) {
                out.reach(peer.partition());
            }
        }
    }

    private static void sendIfAny(Output out, @Nullable StoreRequest request) {
        if (request != null) {
            out.send(request);
        }
    }

    private boolean mayBeginRound() {
        return !waiting.isEmpty() && asked.isEmpty() && peers.values().stream().noneMatch(PartitionPeer::isForwarding);
    }

    /**
     * How long a message without an id must not run after it was forwarded: by then it is acked, if all goes well. If it were
     * redelivered again, it would be mistaken for a different message. A named one is recognised by what was given up.
     */
    private long namelessMillis() {
        return times.horizonMillis() + 4 * times.probeMillis();
    }

    private long probeAt(PartitionPeer peer) {
        return peer.probeAt(times.horizonMillis(), times.probeMillis());
    }

    /** When {@link #flush} has something to do without any event; {@link Long#MAX_VALUE} if never. */
    public long nextTurn() {
        if (undecided.isEmpty()) {
            return NEVER;
        }
        long next = mayBeginRound() ? roundAt : NEVER;
        next = Math.min(next, uncertain.isEmpty() ? NEVER : uncertainAt);
        next = Math.min(next, behind.isEmpty() ? NEVER : behindAt);
        for (PartitionPeer peer : peers.values()) {
            if (peer.isUp()) {
                next = Math.min(next, probeAt(peer));
            }
        }
        return next;
    }

    @Override
    public String toString() {
        return "redelivered messages held back: " + undecided.size();
    }
}
