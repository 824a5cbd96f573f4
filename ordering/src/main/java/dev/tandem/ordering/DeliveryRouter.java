package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.redelivery.Identities;
import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest.Move;
import org.jspecify.annotations.Nullable;

/** Decides where a delivered task goes: to its lane, to the store, or nowhere because it is settled. */
final class DeliveryRouter implements RedeliveryResolver.Receiver {

    private final PartitionState state;
    private final DeferredTasks deferred;

    DeliveryRouter(PartitionState state, DeferredTasks deferred) {
        this.state = state;
        this.deferred = deferred;
    }

    /** Makes an entry of a delivery. */
    TaskEntry entry(Delivery delivery) {
        String key = delivery.unreadable() == null ? state.context.keyOf(delivery.task()) : null;
        return state.broker.entry(delivery, key, state.nextArrival());
    }

    void route(TaskEntry entry) {
        if (state.broker.holdBack(entry, this)) {
            return;
        }
        state.broker.routing(entry);
        Position position = entry.position();
        @Nullable String waitingKey = state.broker.takeKeyAwaiting(entry);
        Lane lane = state.lanes.find(entry.key());
        if (lane != null && lane.isHead(position) || state.returnedClaims.goesFirst(position)) {
            // All tasks of the key wait for this one, and will do so even if the store forgets that.
            entry.placeFirst();
        }
        ActiveRun running = state.active.find(position);
        if (state.broker.takeSettled(entry)) {
            entry.inStore(running != null && running.entry() == entry);
            routeSettled(entry, running, waitingKey);
            return;
        }
        entry.inStore(false);
        @Nullable Long settledBy = state.broker.takeSettledBeforeDelivery(entry);
        if (settledBy != null) {
            state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, settledBy);
        } else if (!joinOwnRun(entry, running)) {
            routeNew(entry);
        }
    }

    /** The store said that the delivery is settled. */
    private void routeSettled(TaskEntry entry, @Nullable ActiveRun running, @Nullable String waitingKey) {
        Position position = entry.position();
        boolean knownHere = running != null
                || state.work.awaitingDelivery(position) != null
                || state.requests.planned(position) != null;
        if (waitingKey != null && !knownHere) {
            // The key waits for a task that has ended long since, which the store forgot.
            state.work.abandon(position, waitingKey);
        }
        state.broker.keepRemembered(entry);
        state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, state.ownership.acquiredWith());
        if (state.returnedClaims.isInLane(position)) {
            state.waitInPlace(entry);
        }
    }

    /** Joins a delivery with a run or an outcome of the same task in this process. @return whether there is one */
    private boolean joinOwnRun(TaskEntry entry, @Nullable ActiveRun running) {
        Position position = entry.position();
        PendingOutcome ending = state.work.awaitingDelivery(position);
        PendingWrite planned = state.requests.planned(position);
        if (running != null && running.isOwned()) {
            if (state.broker.mayBeTwin(entry)) {
                // Another owner may have had the run's message meanwhile, and then this is a twin. The store knows.
                entry.notes().maybeTwin();
                state.work.handOver(entry, new Move.Adopt());
            } else {
                state.attach(running, entry);
            }
        } else if (ending != null && !ending.mayHaveBeenRecordedAwaitingRedelivery()) {
            state.work.deliveredOrRecorded(position);
            state.attach(ending, entry);
        } else if (ending != null || isRecordedAwaitingRedelivery(planned)) {
            // The outcome is recorded first. Then the position no longer awaits redelivery.
            state.work.deliveredOrRecorded(position);
            state.work.handOver(entry, new Move.Adopt());
        } else if (planned != null) {
            PendingWrite adoption = new PendingHandOver(entry, new Move.Adopt());
            state.requests.plan(planned.replacing(adoption));
        } else {
            return false;
        }
        return true;
    }

    private static boolean isRecordedAwaitingRedelivery(@Nullable PendingWrite planned) {
        return planned instanceof PendingOutcome outcome && outcome.mayHaveBeenRecordedAwaitingRedelivery();
    }

    private void routeNew(TaskEntry entry) {
        if (entry.isCancelled()) {
            state.cancellations.again(entry);
        }
        if (state.otherClaims.contains(entry.position()) || entry.isAdoptFirst()) {
            state.work.handOver(entry, new Move.Adopt());
        } else if (entry.unreadable() != null) {
            state.work.handOver(entry, new Move.Bury());
        } else if (entry.requireTask().notBefore() > state.context.wall()) {
            announce(entry);
            state.work.handOver(entry, new Move.Schedule(entry.requireTask().notBefore()));
        } else {
            announce(entry);
            // If the store offered the task and then forgot it, the delivery takes its place.
            deferred.forgetOffer(entry.position());
            if (!state.broker.overflow().passOver(entry)) {
                state.lanes.enterInPlace(entry);
            }
        }
    }

    /** Says that a task has come that may have a duplicate. */
    private void announce(TaskEntry entry) {
        Task task = entry.requireTask();
        if (task.dedupKey() != null) {
            state.context.arrived(
                    new Arrival(state.partition, entry.position(), task, state.broker.isSurelyNew(entry)));
        }
    }

    // ---- unordered message queues ----

    @Override
    public void isUnknown(TaskEntry entry) {
        entry.notes().resolved();
        if (state.ownership.isOwned()) {
            route(entry);
        } else {
            state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, DeliveryTracker.NEVER_DURABLE);
        }
    }

    @Override
    public void isSettledElsewhere(TaskEntry entry) {
        state.tracker().mark(entry, DeliveryState.SETTLED, 0);
    }

    /** Gives a delivery that was taken for an earlier one a position of its own, and routes it. */
    void routeAsAnotherMessage(TaskEntry entry) {
        String identity = Identities.of(entry.position());
        Position fresh = Identities.newPosition(identity, state.requests.writer(), state.nextArrival());
        TaskEntry other = state.tracker().exchange(entry, entry.at(fresh));
        other.notes().matched(false);
        route(other);
    }
}
