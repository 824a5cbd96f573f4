package dev.tandem.ordering.lanes;

import org.jspecify.annotations.Nullable;

/** A lane's place among the {@link ReadyLanes}, 0 if it is not there, and its neighbours. Changed by those only. */
abstract sealed class ReadyNode permits PacedLane {

    long readyPlace;

    @Nullable
    Lane readyBefore;

    @Nullable
    Lane readyAfter;

    /** The group that it is in. Changed by {@link ReadyTasks} only. */
    @Nullable
    ReadyGroup readyIn;

    boolean isReady() {
        return readyPlace != 0;
    }
}
