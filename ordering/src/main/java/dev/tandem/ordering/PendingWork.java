package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayDeque;
import java.util.HashMap;
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

    private final ArrayDeque<AbandonedPosition> abandoned = new ArrayDeque<>();

    PendingWork(Lanes lanes) {
        this.lanes = lanes;
    }

    ArrayDeque<PendingOutcome> outcomes() {
        return outcomes;
    }

    ArrayDeque<PendingHandOver> handOvers() {
        return handOvers;
    }

    void handOver(TaskEntry entry, Move move) {
        handOver(new PendingHandOver(entry, move));
    }

    void handOver(PendingHandOver handOver) {
        handOvers.addLast(handOver);
        String key = handOver.entry().key();
        if (handOver.holdsLane() && key != null) {
            lanes.lane(key).handOversSent(1);
        }
    }

    /** Withdraws the adoption of a run that ended before its adoption was sent. */
    void withdrawAdoption(TaskEntry entry) {
        Lane lane = lanes.find(entry.key());
        if (handOvers.removeIf(handOver -> handOver.entry() == entry) && lane != null) {
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
        abandoned.clear();
    }
}
