package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adopts tasks that run for long, and the running heads of slow lanes: such a task goes into the store under its live claim.
 * Then it does not hold back the commit, and the tasks of its key are parked behind it. A task that the store has already,
 * since it was delayed or failed before, only blocks its key there, if others of the key wait.
 */
final class Adoptions {

    /** A run is adopted once its delivery has been unacked for 1/{@code UNACKED_SHARE} of the time allowed. */
    private static final int UNACKED_SHARE = 2;

    private final PartitionState state;

    Adoptions(PartitionState state) {
        this.state = state;
    }

    /** Looks for such tasks now and then, and hands them over. A request for due tasks, which takes free slots, comes later. */
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
            if (isLong(active, entry) || mayPark && isSlow(entry, catchesUp)) {
                adopt(active);
            }
        }
    }

    /** Whether the run has lasted for long, and something came in behind it or the broker waits for its ack. */
    private boolean isLong(ActiveRun active, TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        boolean othersWait = lane != null && lane.peek() != null;
        boolean heldBack = entry.isTracked() && (state.tracker().hasLaterThan(entry) || isUnackedForLong(entry));
        return state.now() - active.startedAt() >= state.timers.adoptAfter() && (othersWait || heldBack);
    }

    private boolean isUnackedForLong(TaskEntry entry) {
        return state.now() - entry.deliveredAt() >= state.context.maxUnackedMillis() / UNACKED_SHARE;
    }

    /**
     * Whether the lane of a running task is slow, by that task or, if the broker has no part in it, by what waits behind it.
     */
    private boolean isSlow(TaskEntry entry, boolean catchesUp) {
        Lane lane = state.lanes.find(entry.key());
        TaskEntry oldest = entry.isTracked() || lane == null ? entry : firstDelivered(lane);
        return oldest != null && isOfSlowLane(oldest, catchesUp)
                || lane != null && !catchesUp && takesPlacesOfOffers(lane);
    }

    private static @Nullable TaskEntry firstDelivered(Lane lane) {
        for (TaskEntry waiting : lane.waiting()) {
            if (waiting.isTracked()) {
                return waiting;
            }
        }
        return null;
    }

    /** Whether offers of the lane wait, and there is little room for those of other keys. */
    private boolean takesPlacesOfOffers(Lane lane) {
        boolean little = 2 * state.lanes.offered().count() >= PartitionState.MAX_OFFERED
                || 2 * state.lanes.offered().bytes() >= state.maxOfferedBytes();
        return little && lane.waiting().stream().anyMatch(waiting -> !waiting.isTracked());
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
        if (!runs || !active.isOwned() || entry == null) {
            return;
        }
        if (active.isAdopted()) {
            blockByHeld(entry);
        } else if (entry.isTracked() && entry.isPending()) {
            active.adopted();
            state.work.handOver(entry, new Move.Adopt());
        }
    }

    /** Blocks the key by a running task that the store has, unless it is blocked or that is on its way. */
    private void blockByHeld(TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        boolean open = lane != null && !lane.isBlocked() && !lane.hasHandOvers() && lane.isBusyWith(entry);
        if (open && !entry.isTracked()) {
            state.work.handOver(PendingHandOver.blocking(entry));
        }
    }
}
