package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;

/**
 * Adopts tasks that run for long, and the running heads of slow lanes: such a task goes into the store under its live claim.
 * Then it does not hold back the commit, and the tasks of its key are parked behind it.
 */
final class Adoptions {

    /** A run is adopted once its delivery has been unacked for 1/{@code UNACKED_SHARE} of the time allowed. */
    private static final int UNACKED_SHARE = 2;

    private final PartitionState state;

    Adoptions(PartitionState state) {
        this.state = state;
    }

    /** Looks for such tasks now and then, and hands them over. */
    void adoptDue() {
        if (!state.timers.takeAdoptionCheck()) {
            return;
        }
        // If all slots are taken, tasks wait for a slot, and no key is to blame. Without room nothing more is parked.
        boolean mayPark = state.context.slots.any() && state.lanes.admitsFresh() && state.mayBlockKeys();
        for (ActiveRun active : List.copyOf(state.active.all())) {
            TaskEntry entry = active.entry();
            if (entry == null) {
                continue;
            }
            // Asked for every run, even if isLong already decides: each call begins the next measurement of the pace.
            boolean catchesUp = catchesUp(entry);
            if (isLong(active, entry) || mayPark && isOfSlowLane(entry, catchesUp)) {
                adopt(active);
            }
        }
    }

    /** Whether the run has lasted for long, and something was delivered behind it or the broker waits for its ack. */
    private boolean isLong(ActiveRun active, TaskEntry entry) {
        return state.now() - active.startedAt() >= state.timers.adoptAfter()
                && (state.tracker().hasLaterThan(entry) || isUnackedForLong(entry));
    }

    private boolean isUnackedForLong(TaskEntry entry) {
        return state.now() - entry.deliveredAt() >= state.context.maxUnackedMillis() / UNACKED_SHARE;
    }

    /**
     * Whether the task was delivered long ago, waited for others of its key, and holds back the commit or fills memory
     * meanwhile. The tasks behind it do the same.
     */
    private boolean isOfSlowLane(TaskEntry entry, boolean catchesUp) {
        if (entry.key() == null || entry.deliveredAt() == 0) {
            return false;
        }
        long waited = state.now() - entry.deliveredAt();
        return state.gate.isPaused() && waited >= state.timers.adoptAfterIfFull() && !catchesUp
                || waited >= state.timers.adoptAfter() && state.tracker().holdsBackOthers(entry);
    }

    /**
     * Whether the lane only got much at once: at its pace since the last look it ends what waits within {@link
     * RequestTimers#adoptAfter}, and memory has not been full for longer than that. Parking would only slow such a key down.
     */
    private boolean catchesUp(TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        boolean fast = lane != null && lane.takeMillisToEnd(state.now()) <= state.timers.adoptAfter();
        return fast && state.gate.fullFor(state.now()) < state.timers.adoptAfter();
    }

    void adopt(ActiveRun active) {
        TaskEntry entry = active.entry();
        state.rows.stop(active.key());
        boolean runs = state.active.find(active.run().position()) == active;
        if (runs
                && active.isOwned()
                && !active.isAdopted()
                && entry != null
                && entry.isTracked()
                && entry.isPending()) {
            active.adopted();
            state.work.handOver(entry, new Move.Adopt());
        }
    }
}
