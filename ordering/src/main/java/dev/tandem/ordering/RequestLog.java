package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbered line of one partition to the store: what was sent and is not answered, what is answered and not durable,
 * and what is to be sent again after a break.
 */
final class RequestLog {

    /**
     * A request on its way, with what its answer is about.
     *
     * @param slots reserved for claims that it asks for
     * @param order of the last task that had come in when it was sent
     */
    record Sent(
            StoreRequest.OwnerRequest request,
            List<PendingItem.Outcome> outcomes,
            List<TaskEntry> claims,
            List<PendingItem.Handover> handovers,
            int slots,
            long sentAt,
            long order) {

        static Sent plain(StoreRequest.OwnerRequest request, int slots, long sentAt, long order) {
            return new Sent(request, List.of(), List.of(), List.of(), slots, sentAt, order);
        }

        long number() {
            return request.header().number();
        }
    }

    private record Unproven(PendingItem item, long number) {}

    private final Partition partition;
    private final String writer;
    private final ArrayDeque<Sent> pending = new ArrayDeque<>();
    private final ArrayDeque<Unproven> unproven = new ArrayDeque<>();
    private final LinkedHashMap<Position, PendingItem> resend = new LinkedHashMap<>();
    private long number;
    private long epoch;
    private int steps;

    RequestLog(Partition partition, String writer) {
        this.partition = partition;
        this.writer = writer;
    }

    String writer() {
        return writer;
    }

    /** The head of the next request. */
    RequestHeader next() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    /** The head of an acquire. @param continues nobody else can have owned the partition since the last one */
    RequestHeader nextAcquire(boolean continues) {
        return new RequestHeader(partition, writer, ++number, continues ? epoch : 0);
    }

    long lastNumber() {
        return number;
    }

    /** A new ownership begins: only answers under its epoch count from now on. */
    void begin(long newEpoch) {
        epoch = newEpoch;
    }

    boolean isCurrent(RequestHeader header) {
        return header.epoch() == epoch;
    }

    void sent(Sent sent) {
        pending.addLast(sent);
        if (sent.request() instanceof StoreRequest.SettleAndClaim) {
            steps++;
        }
    }

    /** The request that this answer is for; answers come in order. Null if it is not awaited any more. */
    @Nullable
    Sent answered(StoreRequest request) {
        Sent first = pending.peekFirst();
        if (first == null || first.request() != request) {
            return null;
        }
        pending.removeFirst();
        if (request instanceof StoreRequest.SettleAndClaim) {
            steps--;
        }
        return first;
    }

    /** Keeps an answered item until it is {@linkplain #proven durable}. */
    void hold(PendingItem item, long atNumber) {
        unproven.addLast(new Unproven(item, atNumber));
    }

    /** Lets go of what is durable, and returns it. */
    List<PendingItem> proven(long upTo) {
        List<PendingItem> durable = new ArrayList<>();
        while (!unproven.isEmpty() && unproven.getFirst().number() <= upTo) {
            durable.add(unproven.removeFirst().item());
        }
        return durable;
    }

    int stepsInFlight() {
        return steps;
    }

    Collection<Sent> pending() {
        return pending;
    }

    /**
     * The line broke: what was not answered may or may not have been applied, and what is not durable may be gone. Plans
     * to send all of it again, in order; of several items of one position only the last, which implies the others.
     *
     * @param queued outcomes that were not sent yet, newer than all else; rewritten where they replace an item
     * @return entries whose park is the last that was heard of them: their place is in their lane again, among those that
     *     came before and after them
     */
    Collection<TaskEntry> planResend(ArrayDeque<PendingItem.Outcome> queued) {
        LinkedHashMap<Position, PendingItem> plan = new LinkedHashMap<>();
        LinkedHashMap<Position, PendingItem> parked = new LinkedHashMap<>();
        unproven.forEach(h -> keepLast(plan, parked, h.item()));
        for (Sent sent : pending) {
            sent.outcomes().forEach(item -> keepLast(plan, parked, item));
            sent.handovers().forEach(item -> keepLast(plan, parked, item));
        }
        resend.values().forEach(item -> keepLast(plan, parked, item));
        List<PendingItem.Outcome> newest = new ArrayList<>(queued);
        queued.clear();
        for (PendingItem.Outcome outcome : newest) {
            boolean replaces = !(outcome.verdict() instanceof Verdict.Returned);
            PendingItem older = replaces ? takeOut(plan, parked, outcome.position()) : null;
            queued.addLast(older == null ? outcome : (PendingItem.Outcome) outcome.inPlaceOf(older));
        }
        unproven.clear();
        pending.clear();
        steps = 0;
        resend.clear();
        resend.putAll(plan);
        return parked.values().stream().map(PendingItem::entry).toList();
    }

    private static void keepLast(Map<Position, PendingItem> plan, Map<Position, PendingItem> parked, PendingItem item) {
        if (item instanceof PendingItem.Outcome outcome && outcome.verdict() instanceof Verdict.Returned) {
            return;
        }
        if (item instanceof PendingItem.Handover handover && handover.parks()) {
            // A park says nothing of how the store got the task, so what did that stays in the plan.
            parked.put(item.position(), item);
            return;
        }
        PendingItem older = takeOut(plan, parked, item.position());
        plan.put(item.position(), older == null ? item : item.inPlaceOf(older));
    }

    private static @Nullable PendingItem takeOut(
            Map<Position, PendingItem> plan, Map<Position, PendingItem> parked, Position position) {
        PendingItem park = parked.remove(position);
        PendingItem older = plan.remove(position);
        return older == null ? park : older;
    }

    Map<Position, PendingItem> resend() {
        return resend;
    }

    /** The next items to send again: all outcomes or all hand-overs, as they stand in the plan. */
    List<PendingItem> takeResend(int limit) {
        List<PendingItem> taken = new ArrayList<>();
        Iterator<PendingItem> items = resend.values().iterator();
        while (items.hasNext() && taken.size() < limit) {
            PendingItem item = items.next();
            if (!taken.isEmpty() && taken.get(0).getClass() != item.getClass()) {
                break;
            }
            taken.add(item);
            items.remove();
        }
        return taken;
    }

    /** The ownership ended: drops all, and returns the outcomes that had no answer. */
    List<PendingItem.Outcome> drop() {
        List<PendingItem.Outcome> unanswered = new ArrayList<>();
        pending.forEach(sent -> unanswered.addAll(sent.outcomes()));
        for (PendingItem item : resend.values()) {
            if (item instanceof PendingItem.Outcome outcome) {
                unanswered.add(outcome);
            }
        }
        pending.clear();
        unproven.clear();
        resend.clear();
        steps = 0;
        return unanswered;
    }
}
