package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Outcomes and hand-overs that must be sent to the store and are in no request yet. */
final class PendingWork {

    /** A position that is known not to be delivered any more. {@code key}: the key that waited for it, if any. */
    record AbandonedPosition(Position position, @Nullable String key) {}

    private final Lanes lanes;
    private final ArrayDeque<PendingOutcome> outcomes = new ArrayDeque<>();
    /** Outcomes of tasks that the broker has not delivered in this ownership and still may, until they are recorded. */
    private final Map<Position, PendingOutcome> undelivered = new HashMap<>();
    /** Hand-overs except parks, which stay in their lanes. */
    private final ArrayDeque<PendingHandOver> handOvers = new ArrayDeque<>();
    /** Delayed tasks for which the store has no room, in order. */
    private final ArrayDeque<PendingHandOver> unscheduled = new ArrayDeque<>();
    /** How many hand-overs here are of an entry. Most runs end without one, so that none need be looked for. */
    private final Map<TaskEntry, Integer> handedOver = new HashMap<>();

    private final ArrayDeque<AbandonedPosition> abandoned = new ArrayDeque<>();

    PendingWork(Lanes lanes) {
        this.lanes = lanes;
    }

    // ---- outcomes ----

    /** Outcomes in the order in which their runs ended. */
    Collection<PendingOutcome> outcomes() {
        return Collections.unmodifiableCollection(outcomes);
    }

    boolean hasOutcomes() {
        return !outcomes.isEmpty();
    }

    void ended(PendingOutcome outcome) {
        outcomes.addLast(outcome);
    }

    /** Takes the oldest outcome, which must exist. */
    PendingOutcome takeOutcome() {
        return outcomes.removeFirst();
    }

    /** Takes the outcomes of runs that never began. */
    List<PendingOutcome> takeReturned() {
        List<PendingOutcome> returned = new ArrayList<>();
        outcomes.removeIf(outcome -> outcome.isReturned() && returned.add(outcome));
        return returned;
    }

    /** Plans to send all that is not durable again. The outcomes here replace what was sent of the same tasks. */
    Collection<TaskEntry> planResend(RequestLog requests) {
        List<PendingOutcome> queued = new ArrayList<>(outcomes);
        Collection<TaskEntry> parked = requests.planResend(queued);
        outcomes.clear();
        outcomes.addAll(queued);
        return parked;
    }

    // ---- hand-overs ----

    Collection<PendingHandOver> handOvers() {
        takeUnscheduled();
        return Collections.unmodifiableCollection(handOvers);
    }

    boolean hasHandOvers() {
        return !handOvers.isEmpty() || !unscheduled.isEmpty();
    }

    /** Takes the next hand-over. Null if there is none. @param withDelayed false to leave delayed tasks here */
    @Nullable
    PendingHandOver pollHandOver(boolean withDelayed) {
        if (withDelayed) {
            takeUnscheduled();
        }
        PendingHandOver next = handOvers.pollFirst();
        while (next != null && !withDelayed && next.move() instanceof Move.Schedule) {
            unscheduled.addLast(next);
            next = handOvers.pollFirst();
        }
        if (next != null && handedOver.merge(next.entry(), -1, Integer::sum) == 0) {
            handedOver.remove(next.entry());
        }
        return next;
    }

    private void takeUnscheduled() {
        while (!unscheduled.isEmpty()) {
            handOvers.addFirst(unscheduled.removeLast());
        }
    }

    /** Puts back a hand-over for which the store had no room. Its lane goes on waiting for it. */
    void handOverAgain(PendingHandOver refused) {
        handOvers.addFirst(refused);
        handedOver.merge(refused.entry(), 1, Integer::sum);
    }

    void handOver(TaskEntry entry, Move move) {
        handOver(new PendingHandOver(entry, move));
    }

    void handOver(PendingHandOver handOver) {
        handOvers.addLast(handOver);
        handedOver.merge(handOver.entry(), 1, Integer::sum);
        String key = handOver.entry().key();
        if (handOver.holdsLane() && key != null) {
            lanes.lane(key).handOversSent(1);
        }
    }

    /** Withdraws the adoption of a run that ended before its adoption was sent. */
    void withdrawAdoption(TaskEntry entry) {
        if (handedOver.remove(entry) == null) {
            return;
        }
        handOvers.removeIf(handOver -> handOver.entry() == entry);
        Lane lane = lanes.find(entry.key());
        if (lane != null) {
            lane.handOverAnswered();
            lanes.touch(lane);
        }
    }

    // ---- outcomes of tasks without a delivery ----

    void keepForDelivery(PendingOutcome outcome) {
        undelivered.put(outcome.position(), outcome);
    }

    @Nullable
    PendingOutcome awaitingDelivery(Position position) {
        return undelivered.get(position);
    }

    void deliveredOrRecorded(Position position) {
        undelivered.remove(position);
    }

    Iterable<Position> positionsAwaitingDelivery() {
        return undelivered.keySet();
    }

    // ---- positions that do not come ----

    void abandon(Position position, @Nullable String key) {
        abandoned.addLast(new AbandonedPosition(position, key));
    }

    @Nullable
    AbandonedPosition pollAbandoned() {
        return abandoned.pollFirst();
    }

    void clear() {
        outcomes.clear();
        undelivered.clear();
        handOvers.clear();
        unscheduled.clear();
        handedOver.clear();
        abandoned.clear();
    }
}
