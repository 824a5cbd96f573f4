package dev.tandem.ordering;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.redelivery.Identities;
import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A partition of a queue without order. All its partitions compete for the same messages, so a redelivered message may have
 * been delivered to any of them: {@link RedeliveryResolver} asks them all.
 */
final class UnorderedQueueSide extends QueueSide {

    private final RedeliveryResolver resolver;
    private RedeliveryResolver.@Nullable Receiver receiver;

    UnorderedQueueSide(PartitionState state, RedeliveryResolver resolver) {
        super(state);
        this.resolver = resolver;
    }

    @Override
    boolean holdBack(TaskEntry entry, DeliveryRouter router) {
        RedeliveryNotes notes = entry.notes();
        boolean unidentifiable = Identities.of(entry.position()).isEmpty();
        if (!notes.isRedelivered() || notes.isResolved() || unidentifiable) {
            return false;
        }
        receiver = router;
        resolver.holdBack(router, entry);
        return true;
    }

    @Override
    void forget() {
        super.forget();
        if (receiver != null) {
            resolver.forget(receiver);
        }
    }

    @Override
    void expectForgottenHandOvers() {
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (active.isOwned() && entry != null) {
                mayBeRedelivered(entry);
            }
        }
        for (PendingOutcome outcome : state.work.outcomes()) {
            mayBeRedelivered(outcome.entry());
        }
        state.requests.planned().forEach(write -> mayBeRedelivered(write.entry()));
    }

    @Override
    void beginChannel(StoreAnswer.Acquired acquired) {
        matcher.clear();
        matcher.reacquired(acquired);
    }

    @Override
    void recognise(List<TaskEntry> routeAgain, StoreAnswer.Acquired acquired) {}

    @Override
    void handOverBeforeOpening() {
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (active.isOwned() && active.awaitsRedelivery() && entry != null && !entry.isTracked()) {
                state.work.handOver(entry, new Move.Adopt());
            }
        }
    }
}
