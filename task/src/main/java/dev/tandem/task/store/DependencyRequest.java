package dev.tandem.task.store;

import dev.tandem.task.BusinessId;
import dev.tandem.task.TaskPlace;

/** A request about a task that waits for another one. It may be repeated. */
public sealed interface DependencyRequest {

    /** Returns the id of the task that is waited for. */
    BusinessId on();

    /** Returns the task that waits. */
    TaskPlace task();

    /**
     * A task is about to run. If it must wait, it is woken when the other one ends.
     *
     * @param limitMillis for how long it may wait
     * @param waitedMillis for how long it has waited as far as the asker knows; counts only if the store has no room for it
     */
    record Ask(BusinessId on, TaskPlace task, long limitMillis, long waitedMillis) implements DependencyRequest {}

    /** A task that need not wait any more runs again after a delay. */
    record Later(BusinessId on, TaskPlace task, long delayMillis) implements DependencyRequest {}

    /** A task runs although the other one has not succeeded, by its policy. It need not wait for it any more. */
    record Released(BusinessId on, TaskPlace task) implements DependencyRequest {}

    /** A task has ended. */
    record Over(BusinessId on, TaskPlace task) implements DependencyRequest {}
}
