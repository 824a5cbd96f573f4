package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest.Move;

/** Adopts long runs: their tasks go into the store under the live claim, so that they do not hold back the commit. */
final class LongRuns {

    private final PartitionState state;

    LongRuns(PartitionState state) {
        this.state = state;
    }

    /** Looks for long runs now and then, and hands over those that something was delivered behind. */
    void adoptDue() {
        if (!state.timers.takeAdoptionCheck()) {
            return;
        }
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            boolean isLong = state.now() - active.startedAt() >= state.timers.adoptAfter();
            if (entry != null && isLong && state.tracker().hasLaterThan(entry)) {
                adopt(active);
            }
        }
    }

    void adopt(ActiveRun active) {
        TaskEntry entry = active.entry();
        if (active.isOwned() && !active.isAdopted() && entry != null && entry.isTracked() && entry.isPending()) {
            active.adopted();
            state.work.handOver(entry, new Move.Adopt());
        }
    }
}
