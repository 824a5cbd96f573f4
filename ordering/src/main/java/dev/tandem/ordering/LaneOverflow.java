package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest.Move.Park;
import java.util.Collection;
import java.util.function.Predicate;

/**
 * Where delivered tasks wait for which there is no room: what their lanes or tenants have too much of stays in a log. A message
 * queue keeps nothing; there, tasks of tenants go to the store.
 */
interface LaneOverflow {

    /** Lets all tasks wait in memory. */
    LaneOverflow NONE = new LaneOverflow() {};

    Park ALL_ALIKE = new Park();

    /** Leaves a delivery where it waits, because there is no room for it. It is read again later. @return whether it was left */
    default boolean passOver(TaskEntry entry) {
        return false;
    }

    /** The store had no room for tasks of this lane. */
    default void laneIsFull(Lane lane) {}

    /** Returns how tasks are parked now. */
    default Park park() {
        return ALL_ALIKE;
    }

    /** Puts tasks aside, if the broker delivers no more and others may wait behind them. */
    default void makeRoom() {}

    /** Notes that a task joined the line of its tenant. */
    default void joined(int line) {}

    /** Takes what was read of lines. @param isHere whether a task waits or runs in memory already */
    default void linesRead(ReadLines request, StoreAnswer.LinesRead answer, Predicate<Position> isHere) {}

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
