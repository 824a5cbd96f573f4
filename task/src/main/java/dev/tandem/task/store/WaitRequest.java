package dev.tandem.task.store;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;

/** A request about a task that waits for another one. It may be repeated. */
public sealed interface WaitRequest {

    /** Returns the id of the task that is waited for. */
    BusinessId on();

    /** Returns the task that waits. */
    Waiter task();

    /** Where a task is that waits. */
    record Waiter(Partition partition, Position position) {}

    /**
     * A task is about to run. If it must wait, it is woken when the other one ends.
     *
     * @param limitMillis for how long it may wait
     * @param waitedMillis for how long it has waited as far as the asker knows; counts only if the store has no room for it
     */
    record Ask(BusinessId on, Waiter task, long limitMillis, long waitedMillis) implements WaitRequest {}

    /** A task that need not wait any more runs again after a delay. */
    record Later(BusinessId on, Waiter task, long delayMillis) implements WaitRequest {}

    /** A task runs although the other one has not succeeded, by its policy. It need not wait for it any more. */
    record Released(BusinessId on, Waiter task) implements WaitRequest {}

    /** A task has ended. */
    record Over(BusinessId on, Waiter task) implements WaitRequest {}
}
