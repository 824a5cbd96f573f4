package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest.Move;

/**
 * Adopts tasks that run for long, and the running heads of slow lanes: such a task goes into the store under its live claim.
 * Then it does not hold back the commit, and the tasks of its key are parked behind it.
 */
final class Adoptions {

    /** The part of the time that a delivery may stay unacked, one in this many, after which its run is adopted. */
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
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            if (entry != null && (isLong(active, entry) || mayPark && isOfSlowLane(entry))) {
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
    private boolean isOfSlowLane(TaskEntry entry) {
        if (entry.key() == null || entry.deliveredAt() == 0) {
            return false;
        }
        long waited = state.now() - entry.deliveredAt();
        return state.gate.isPaused() && waited >= state.timers.adoptAfterIfFull()
                || waited >= state.timers.adoptAfter() && state.tracker().holdsBackOthers(entry);
    }

    void adopt(ActiveRun active) {
        TaskEntry entry = active.entry();
        if (active.isOwned() && !active.isAdopted() && entry != null && entry.isTracked() && entry.isPending()) {
            active.adopted();
            state.work.handOver(entry, new Move.Adopt());
        }
    }
}
