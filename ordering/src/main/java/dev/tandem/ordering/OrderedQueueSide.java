package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.redelivery.Identities;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A sub-queue of a queue ordered by key. What it redelivers was delivered from it before, to one owner or another. */
final class OrderedQueueSide extends QueueSide {

    OrderedQueueSide(PartitionState state) {
        super(state);
    }

    @Override
    void expectForgottenHandOvers() {
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (active.isOwned() && entry != null && expectForgotten(entry)) {
                active.awaitsRedelivery(true);
            }
        }
        for (PendingOutcome outcome : state.work.outcomes()) {
            if (expectForgotten(outcome.entry())) {
                state.work.keepForDelivery(outcome);
            }
        }
        state.requests.planned().forEach(write -> expectForgotten(write.entry()));
    }

    private boolean expectForgotten(TaskEntry entry) {
        boolean may = mayBeRedelivered(entry);
        if (may) {
            matcher.mayBeRedelivered(entry.position());
        }
        return may;
    }

    @Override
    void expectOnOpenChannel(StoreAnswer.Acquired acquired) {
        acquired.history().awaitingRedelivery().forEach(matcher::mayBeRedelivered);
    }

    @Override
    void beginChannel(StoreAnswer.Acquired acquired) {
        List<Position> own = new ArrayList<>();
        for (ActiveRun active : state.active.all()) {
            if (active.isOwned() && active.awaitsRedelivery()) {
                own.add(active.run().position());
            }
        }
        state.work.positionsAwaitingDelivery().forEach(own::add);
        matcher.begin(own, acquired);
    }

    /**
     * Recognises messages whose earlier delivery was settled, which the store forgot: a redelivered message is what runs under
     * its identity, or has ended here.
     */
    @Override
    void recognise(List<TaskEntry> routeAgain, StoreAnswer.Acquired acquired) {
        List<Position> awaiting = acquired.history().awaitingRedelivery();
        Map<Position, PendingOutcome> ended = new HashMap<>();
        Map<String, Position> here = positionsHere(awaiting, ended);
        routeAgain.replaceAll(entry -> {
            boolean needless = entry.notes().isMatched()
                    || !entry.notes().isRedelivered()
                    || !Identities.isNamed(entry.position());
            @Nullable Position position = needless ? null : here.remove(Identities.of(entry.position()));
            if (position == null) {
                return entry;
            }
            PendingOutcome ending = ended.get(position);
            if (ending != null) {
                state.work.keepForDelivery(ending);
            }
            TaskEntry recognised = tracker().exchange(entry, entry.at(position));
            recognised.notes().adoptFirst(awaiting.contains(position));
            return recognised;
        });
    }

    /** Returns the positions without a delivery that a redelivered message may have, by identity. Later ones win. */
    private Map<String, Position> positionsHere(List<Position> awaiting, Map<Position, PendingOutcome> ended) {
        Map<String, Position> here = new HashMap<>();
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (active.isOwned() && entry != null && !entry.isTracked()) {
                put(here, active.run().position());
            }
        }
        for (PendingWrite write : state.requests.planned()) {
            if (write instanceof PendingOutcome && !write.entry().isTracked()) {
                put(here, write.position());
            }
        }
        state.otherClaims.forEach((position, claim) -> {
            if (!claim.inStore()) {
                put(here, position);
            }
        });
        awaiting.forEach(position -> put(here, position));
        for (PendingOutcome outcome : state.work.outcomes()) {
            if (!outcome.entry().isTracked()) {
                put(here, outcome.position());
                ended.put(outcome.position(), outcome);
            }
        }
        Set<Position> delivered = new HashSet<>();
        tracker().entries().forEach(entry -> delivered.add(entry.position()));
        here.values().removeIf(delivered::contains);
        return here;
    }

    private static void put(Map<String, Position> here, Position position) {
        here.put(Identities.of(position), position);
    }
}
