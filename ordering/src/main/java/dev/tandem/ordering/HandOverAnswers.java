package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes the answers to requests that hand tasks over, and draws the consequences. */
final class HandOverAnswers {

    private final PartitionState state;
    private final DeliveryRouter router;

    HandOverAnswers(PartitionState state, DeliveryRouter router) {
        this.state = state;
        this.router = router;
    }

    void answered(RequestLog.Sent sent, StoreAnswer.CustodyTaken answer) {
        state.timers.nextDue(answer.nextDueMillis());
        if (answer.results().contains(HandOverResult.NO_ROOM)) {
            noRoom(sent.handOvers());
            return;
        }
        Set<Lane> lanes = new LinkedHashSet<>();
        List<PendingHandOver> back = new ArrayList<>();
        for (int i = 0; i < sent.handOvers().size(); i++) {
            PendingHandOver handOver = sent.handOvers().get(i);
            HandOverResult result = answer.results().get(i);
            Lane lane = handOver.holdsLane() ? state.lanes.find(handOver.entry().key()) : null;
            if (lane != null) {
                lane.handOverAnswered();
                lanes.add(lane);
                if (result == HandOverResult.OPEN || result == HandOverResult.FULL) {
                    back.add(handOver);
                }
            }
            answered(handOver, lane, result, sent.number());
        }
        backInLanes(back, lanes);
        for (Lane lane : lanes) {
            state.lanes.touch(lane);
            if (lane.isFull()) {
                state.lanes.declineOffers(lane);
                state.broker.overflow().laneIsFull(lane);
            }
        }
    }

    /** Puts tasks back to their lanes, the last one first, so that each goes to the front and nothing is sorted. */
    private void backInLanes(List<PendingHandOver> back, Set<Lane> lanes) {
        for (int i = back.size() - 1; i >= 0; i--) {
            TaskEntry entry = back.get(i).entry();
            if (entry.key() != null) {
                Lane lane = state.lanes.lane(entry.key());
                lane.add(entry);
                lanes.add(lane);
            }
        }
    }

    private void answered(PendingHandOver handOver, @Nullable Lane lane, HandOverResult result, long number) {
        TaskEntry entry = handOver.entry();
        switch (result) {
            case OK -> takenOver(handOver, lane, number);
            case DONE -> settledBefore(handOver, number);
            case OPEN -> {
                if (lane != null && !lane.hasHandOvers()) {
                    state.open(lane, entry.key());
                }
            }
            case FULL -> {
                if (lane != null) {
                    state.lanes.full(lane);
                    state.timers.laneFull();
                }
            }
            case GONE -> unknownToStore(entry);
            case NO_ROOM -> throw new IllegalStateException("The store had no room for only some of one request");
        }
    }

    /** The store has custody. */
    private void takenOver(PendingHandOver handOver, @Nullable Lane lane, long number) {
        TaskEntry entry = handOver.entry();
        if (entry.isMaybeTwin()) {
            messageCame(entry.position());
        }
        state.lanes.forgetOffered(entry);
        if (!entry.isInStore() && !handOver.ends()) {
            state.room.taken(entry);
        }
        if (entry.unreadable() != null && handOver.move() instanceof Move.Bury) {
            String id = entry.requireTask().id();
            state.context.report(new CoreEvent.Buried(state.partition, entry.position(), id, entry.unreadable()));
        }
        entry.inStore(true);
        state.tracker().mark(entry, DeliveryState.TAKEN_OVER, number);
        state.requests.keepUntilDurable(handOver, number);
        state.durability.answered(number, state.now());
        if (handOver.parks() && lane != null) {
            lane.hasRoom();
        }
        if (handOver.move() instanceof Move.JoinLine join) {
            state.broker.overflow().joined(join.line());
            if (lane != null) {
                state.block(lane.key(), entry.position(), BlockReason.HEAD);
            }
        }
        afterAdoption(handOver, true);
    }

    /** The run's message was delivered again, so no further delivery of it is expected. */
    private void messageCame(Position position) {
        ActiveRun running = state.active.find(position);
        if (running != null) {
            running.awaitsRedelivery(false);
            TaskEntry entry = running.entry();
            if (entry != null) {
                entry.awaitsRedelivery(false);
            }
        }
    }

    /** The position is settled, or in the store's custody already. */
    private void settledBefore(PendingHandOver handOver, long number) {
        TaskEntry entry = handOver.entry();
        if (entry.isMaybeTwin() && entry.isPending()) {
            router.routeAsAnotherMessage(entry);
            return;
        }
        state.lanes.forgetOffered(entry);
        if (handOver.parks() && !entry.isTracked()) {
            state.requests.keepUntilDurable(handOver, number);
        }
        if (handOver.move() instanceof Move.JoinLine join) {
            state.broker.overflow().joined(join.line());
        }
        state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, number);
        state.durability.answered(number, state.now());
        afterAdoption(handOver, false);
    }

    /** Blocks the key of an adopted task by it, if it runs under a claim that the store holds. */
    private void afterAdoption(PendingHandOver handOver, boolean moved) {
        if (!handOver.adopts()) {
            return;
        }
        TaskEntry entry = handOver.entry();
        Position position = entry.position();
        boolean runsHere = state.active.contains(position);
        boolean runsElsewhere = state.otherClaims.contains(position);
        // If the task is still ours, the store has it by now.
        entry.inStore(true);
        if (entry.key() == null) {
            return;
        }
        boolean runsOn = runsHere && !handOver.blocksOnly();
        if (moved || runsOn || runsElsewhere) {
            Lane lane = state.lanes.lane(entry.key());
            BlockReason reason = runsElsewhere ? BlockReason.OTHER_OWNER : BlockReason.HEAD;
            state.block(entry.key(), position, reason);
            state.lanes.touch(lane);
        }
        if (!runsHere) {
            state.lanes.free(entry);
        }
    }

    /** The store knows neither a claim nor an end of a task that was to be adopted. It goes on as a new delivery. */
    private void unknownToStore(TaskEntry entry) {
        boolean ours =
                state.broker.isDeliveryHere(entry) && entry.isPending() && !state.active.contains(entry.position());
        if (!ours) {
            return;
        }
        state.otherClaims.remove(entry.position());
        entry.inStore(false);
        entry.forgetAdoptFirst();
        if (state.broker.wasSettledUnheard(entry)) {
            state.broker.keepRemembered(entry);
            state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, state.ownership.acquiredWith());
            if (entry.key() != null) {
                state.work.abandon(entry.position(), entry.key());
            }
        } else if (entry.unreadable() != null) {
            state.work.handOver(entry, new Move.Bury());
        } else if (!entry.isMatched() && entry.requireTask().notBefore() > state.context.wall()) {
            // A matched message was started before, so it was due already.
            state.work.handOver(entry, new Move.Schedule(entry.requireTask().notBefore()));
        } else {
            state.lanes.reenter(entry);
        }
    }

    /**
     * The store's memory is full. Everything is tried again, and the lanes go on waiting. Parks go back to their lanes, so that
     * no two requests carry tasks of one key, of which the later one might find room.
     */
    private void noRoom(List<PendingHandOver> refused) {
        state.timers.noRoom();
        Set<Position> ended = endedPositions();
        for (int i = refused.size() - 1; i >= 0; i--) {
            PendingHandOver handOver = refused.get(i);
            boolean waitsInLane = handOver.parks() || handOver.cancels();
            Lane lane = waitsInLane ? state.lanes.find(handOver.entry().key()) : null;
            if (lane != null) {
                lane.handOverAnswered();
                lane.add(handOver.entry());
                state.lanes.touch(lane);
                continue;
            }
            state.work.handOverAgain(handOver);
            if (ended.contains(handOver.position())) {
                state.work.withdrawAdoption(handOver.entry());
            }
        }
    }

    /** Returns the positions of runs that have ended and whose outcomes have no answer. */
    private Set<Position> endedPositions() {
        Set<Position> ended = new HashSet<>();
        state.work.outcomes().forEach(outcome -> ended.add(outcome.position()));
        state.requests.unanswered().forEach(sent -> sent.outcomes().forEach(outcome -> ended.add(outcome.position())));
        return ended;
    }
}
