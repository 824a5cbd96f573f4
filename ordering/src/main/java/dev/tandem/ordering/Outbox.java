package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.Line;
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
final class Outbox {

    /**
     * A request on its way, with what its answer is about.
     *
     * @param slots reserved for claims that it asks for
     * @param order of the last task that had come in when it was sent
     */
    record Sent(
            StoreRequest.Numbered request,
            List<Item.Outcome> outcomes,
            List<Entry> claims,
            List<Item.Handover> handovers,
            int slots,
            long sentAt,
            long order) {

        static Sent plain(StoreRequest.Numbered request, int slots, long sentAt, long order) {
            return new Sent(request, List.of(), List.of(), List.of(), slots, sentAt, order);
        }

        long number() {
            return request.line().number();
        }
    }

    private record Held(Item item, long number) {}

    private final Partition partition;
    private final String writer;
    private final ArrayDeque<Sent> pending = new ArrayDeque<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final LinkedHashMap<Position, Item> resend = new LinkedHashMap<>();
    private long number;
    private long epoch;
    private int steps;

    Outbox(Partition partition, String writer) {
        this.partition = partition;
        this.writer = writer;
    }

    String writer() {
        return writer;
    }

    /** The head of the next request. */
    Line next() {
        return new Line(partition, writer, ++number, epoch);
    }

    /** The head of an acquire. @param continues nobody else can have owned the partition since the last one */
    Line nextAcquire(boolean continues) {
        return new Line(partition, writer, ++number, continues ? epoch : 0);
    }

    long lastNumber() {
        return number;
    }

    /** A new ownership begins: only answers under its epoch count from now on. */
    void begin(long newEpoch) {
        epoch = newEpoch;
    }

    boolean isCurrent(Line line) {
        return line.epoch() == epoch;
    }

    void sent(Sent sent) {
        pending.addLast(sent);
        if (sent.request() instanceof StoreRequest.Step) {
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
        if (request instanceof StoreRequest.Step) {
            steps--;
        }
        return first;
    }

    /** Keeps an answered item until it is {@linkplain #proven durable}. */
    void hold(Item item, long atNumber) {
        held.addLast(new Held(item, atNumber));
    }

    /** Lets go of what is durable, and returns it. */
    List<Item> proven(long upTo) {
        List<Item> durable = new ArrayList<>();
        while (!held.isEmpty() && held.getFirst().number() <= upTo) {
            durable.add(held.removeFirst().item());
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
    Collection<Entry> planResend(ArrayDeque<Item.Outcome> queued) {
        LinkedHashMap<Position, Item> plan = new LinkedHashMap<>();
        LinkedHashMap<Position, Item> parked = new LinkedHashMap<>();
        held.forEach(h -> keepLast(plan, parked, h.item()));
        for (Sent sent : pending) {
            sent.outcomes().forEach(item -> keepLast(plan, parked, item));
            sent.handovers().forEach(item -> keepLast(plan, parked, item));
        }
        resend.values().forEach(item -> keepLast(plan, parked, item));
        List<Item.Outcome> newest = new ArrayList<>(queued);
        queued.clear();
        for (Item.Outcome outcome : newest) {
            boolean replaces = !(outcome.verdict() instanceof Verdict.Returned);
            Item older = replaces ? takeOut(plan, parked, outcome.position()) : null;
            queued.addLast(older == null ? outcome : (Item.Outcome) outcome.inPlaceOf(older));
        }
        held.clear();
        pending.clear();
        steps = 0;
        resend.clear();
        resend.putAll(plan);
        return parked.values().stream().map(Item::entry).toList();
    }

    private static void keepLast(Map<Position, Item> plan, Map<Position, Item> parked, Item item) {
        if (item instanceof Item.Outcome outcome && outcome.verdict() instanceof Verdict.Returned) {
            return;
        }
        if (item instanceof Item.Handover handover && handover.parks()) {
            // A park says nothing of how the store got the task, so what did that stays in the plan.
            parked.put(item.position(), item);
            return;
        }
        Item older = takeOut(plan, parked, item.position());
        plan.put(item.position(), older == null ? item : item.inPlaceOf(older));
    }

    private static @Nullable Item takeOut(Map<Position, Item> plan, Map<Position, Item> parked, Position position) {
        Item park = parked.remove(position);
        Item older = plan.remove(position);
        return older == null ? park : older;
    }

    Map<Position, Item> resend() {
        return resend;
    }

    /** The next items to send again: all outcomes or all hand-overs, as they stand in the plan. */
    List<Item> takeResend(int limit) {
        List<Item> taken = new ArrayList<>();
        Iterator<Item> items = resend.values().iterator();
        while (items.hasNext() && taken.size() < limit) {
            Item item = items.next();
            if (!taken.isEmpty() && taken.get(0).getClass() != item.getClass()) {
                break;
            }
            taken.add(item);
            items.remove();
        }
        return taken;
    }

    /** The ownership ended: drops all, and returns the outcomes that had no answer. */
    List<Item.Outcome> drop() {
        List<Item.Outcome> unanswered = new ArrayList<>();
        pending.forEach(sent -> unanswered.addAll(sent.outcomes()));
        for (Item item : resend.values()) {
            if (item instanceof Item.Outcome outcome) {
                unanswered.add(outcome);
            }
        }
        pending.clear();
        held.clear();
        resend.clear();
        steps = 0;
        return unanswered;
    }
}
