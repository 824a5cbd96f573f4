package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Delivery;
import java.util.Collection;

/** Where delivered tasks wait for which their lanes have no room. Only a log can keep them: a message queue has {@link #NONE}. */
interface LaneOverflow {

    /** Lets all tasks wait in memory. */
    LaneOverflow NONE = new LaneOverflow() {};

    /** Leaves a delivery in the log, because its lane is full. It is read again later. @return whether it was left there */
    default boolean passOver(TaskEntry entry) {
        return false;
    }

    /** The store had no room for tasks of this lane. */
    default void laneIsFull(Lane lane) {}

    /** Whether a task of this key was passed over that a former owner may have begun. */
    default boolean mayHavePassedOverBegun(String key) {
        return false;
    }

    default boolean isEmpty() {
        return true;
    }

    /** Whether any record was passed over. */
    default boolean hasPassedOver() {
        return false;
    }

    default boolean isPassedOver(long offset) {
        return false;
    }

    /** Reads again what was passed over, if there is room for it now. */
    default void recall(Commands out) {}

    /** Takes what was read again. {@code next}: all offsets below it were read. */
    default void recalled(long id, Collection<Delivery> deliveries, long next, DeliveryRouter router) {}

    default void recallFailed(long id) {}

    /** Records below the log's start can't be read again. */
    default void deleted(long id, long logStart) {}

    default Overflow count() {
        return Overflow.NONE;
    }
}
