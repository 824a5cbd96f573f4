package dev.tandem.ordering;

import java.util.stream.Stream;

/** Pauses the source while memory is full, and says how full it is. */
final class BackPressure {

    private final PartitionState state;

    BackPressure(PartitionState state) {
        this.state = state;
    }

    void apply(Commands out) {
        if (!state.gate.isOpened() || state.ownership.isLeft() || state.ownership.isLeaving()) {
            return;
        }
        // Deliveries go on while a key waits for one. Otherwise all would wait for one another.
        boolean awaits = state.broker.isAwaitingOffsets();
        int share = state.gate.isPaused() && !awaits ? 2 : 1;
        boolean full = !state.ownership.isOwned()
                || !state.broker.isAwaitingRedeliveries()
                        && (state.isFull(share) || !awaits && state.isOverBudget(share));
        if (state.gate.pause(full, state.now())) {
            if (full) {
                out.pause(state.partition);
            } else {
                out.resume(state.partition);
            }
        }
    }

    /** Whether memory is full, so that the source delivers nothing. */
    boolean isFull() {
        return state.ownership.isOwned() && state.gate.isPaused();
    }

    /** Whether fresh tasks wait in the broker because the store has no room for more. */
    boolean isWithoutRoom() {
        return state.ownership.isOwned() && !state.room.isLeft();
    }

    /** Looks at the partition, for people. Empty if it is not owned. */
    Stream<PartitionLook> look(TaskFilter filter) {
        return state.ownership.isOwned() ? Stream.of(PartitionLook.of(state, this, filter)) : Stream.empty();
    }

    /** Whether keys wait for a delivery that cannot come before fresh tasks have left memory. */
    boolean mustMakeWayForAwaited() {
        return state.broker.isAwaitingOffsets() && state.isFull(1);
    }
}
