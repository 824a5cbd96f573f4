package dev.tandem.ordering.redelivery;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One partition of an unordered queue, whoever owns it, as {@link RedeliveryResolver} talks to it: it asks what the partition
 * knows, forwards messages to it, and probes whether its answers are durable. Each has one request in flight at most.
 */
final class PartitionPeer {

    private static final int MAX_MESSAGES = 256;
    private static final int MAX_REQUEST_BYTES = 1 << 20;

    /** A message that the partition answers for, and when it said so. Acked once that is durable. */
    private record Answered(PendingRedelivery message, String runId, long at) {}

    private final Partition partition;
    private boolean up;
    private boolean reaching;

    private boolean queryWanted;
    private StoreRequest.@Nullable ListKnownPositions query;
    private StoreAnswer.@Nullable KnownPositions known;

    private final ArrayDeque<PendingRedelivery> toForward = new ArrayDeque<>();
    private final List<PendingRedelivery> forwarding = new ArrayList<>();
    private StoreRequest.@Nullable ForwardRedeliveries forward;

    private final ArrayDeque<Answered> answered = new ArrayDeque<>();
    private StoreRequest.@Nullable ForwardRedeliveries probe;
    private long probedAt = Long.MIN_VALUE / 2;

    PartitionPeer(Partition partition) {
        this.partition = partition;
    }

    // ---- the connection to the store ----

    void storeUp() {
        up = true;
    }

    /** Asks again what is unanswered, once the store can be reached. */
    void storeDown() {
        up = false;
        reaching = false;
        queryWanted |= query != null;
        query = null;
        for (int i = forwarding.size() - 1; i >= 0; i--) {
            toForward.addFirst(forwarding.get(i));
        }
        forwarding.clear();
        forward = null;
        probe = null;
    }

    /** Whether the store must be reached first. True once. */
    boolean takeReachWanted() {
        boolean needed = queryWanted || !toForward.isEmpty() || !answered.isEmpty();
        boolean wanted = !up && needed && !reaching;
        reaching |= wanted;
        return wanted;
    }

    Partition partition() {
        return partition;
    }

    boolean isUp() {
        return up;
    }

    // ---- what the partition knows ----

    void queryLater() {
        queryWanted = true;
    }

    @Nullable
    StoreRequest takeQuery() {
        if (!queryWanted) {
            return null;
        }
        queryWanted = false;
        query = new StoreRequest.ListKnownPositions(partition);
        return query;
    }

    /** @return whether this is the answer to the query in flight */
    boolean queryAnswered(StoreRequest request, StoreAnswer answer) {
        if (request != query || !(answer instanceof StoreAnswer.KnownPositions positions)) {
            return false;
        }
        query = null;
        known = positions;
        return true;
    }

    StoreAnswer.@Nullable KnownPositions known() {
        return known;
    }

    void forgetKnown() {
        known = null;
    }

    // ---- messages given back to the partition ----

    void forwardLater(PendingRedelivery message) {
        toForward.addLast(message);
    }

    boolean isForwarding() {
        return forward != null || !toForward.isEmpty();
    }

    /**
     * Returns the next request that forwards messages, named ones or others, null if none is due.
     *
     * @param namelessMillis how long a message without an id may not run after it was forwarded
     */
    @Nullable
    StoreRequest takeForward(String executor, long namelessMillis) {
        if (forward != null || toForward.isEmpty()) {
            return null;
        }
        List<StoreRequest.Redelivery> messages = new ArrayList<>();
        boolean named = toForward.getFirst().isNamed();
        int bytes = 0;
        while (messages.size() < MAX_MESSAGES
                && bytes < MAX_REQUEST_BYTES
                && !toForward.isEmpty()
                && toForward.getFirst().isNamed() == named) {
            PendingRedelivery message = toForward.removeFirst();
            TaskEntry entry = message.entry();
            Position position = message.position();
            if (position != null) {
                forwarding.add(message);
                messages.add(new StoreRequest.Redelivery(position, entry.envelope(entry.unreadable())));
                bytes += entry.weight();
            }
        }
        forward = new StoreRequest.ForwardRedeliveries(partition, executor, named ? 0 : namelessMillis, messages);
        return forward;
    }

    /** Returns the forwarded messages that this answers, in the request's order. None if it answers something else. */
    List<PendingRedelivery> takeForwarded(StoreRequest request) {
        if (request != forward) {
            return List.of();
        }
        List<PendingRedelivery> sent = List.copyOf(forwarding);
        forwarding.clear();
        forward = null;
        return sent;
    }

    // ---- answers that must become durable ----

    /** Notes that the partition answers for the message: it is settled there, or in the store's custody. */
    void answersFor(PendingRedelivery message, String runId, long now) {
        answered.addLast(new Answered(message, runId, now));
    }

    long probeAt(long horizonMillis, long probeMillis) {
        Answered first = answered.peekFirst();
        return probe != null || first == null
                ? Long.MAX_VALUE
                : Math.max(first.at() + horizonMillis, probedAt + probeMillis);
    }

    StoreRequest takeProbe(String executor, long now) {
        probedAt = now;
        probe = new StoreRequest.ForwardRedeliveries(partition, executor, 0, List.of());
        return probe;
    }

    boolean isProbe(StoreRequest request) {
        return request == probe;
    }

    /** Result of a probe. {@code forgotten}: messages that the store may have forgotten. */
    record Probed(List<PendingRedelivery> durable, List<PendingRedelivery> forgotten) {}

    Probed probeAnswered(StoreAnswer.RedeliveriesForwarded answer, long horizonMillis) {
        probe = null;
        Probed probed = new Probed(new ArrayList<>(), new ArrayList<>());
        if (!answer.durable()) {
            return probed;
        }
        List<Answered> still = new ArrayList<>();
        for (Answered each : answered) {
            if (!each.runId().equals(answer.runId())) {
                probed.forgotten().add(each.message());
            } else if (each.at() + horizonMillis <= probedAt) {
                probed.durable().add(each.message());
            } else {
                still.add(each);
            }
        }
        answered.clear();
        answered.addAll(still);
        return probed;
    }

    /** Drops the messages that match, since their channel ended. */
    void drop(Predicate<PendingRedelivery> over) {
        toForward.removeIf(over);
        answered.removeIf(each -> over.test(each.message()));
    }
}
