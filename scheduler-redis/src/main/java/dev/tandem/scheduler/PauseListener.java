package dev.tandem.scheduler;

import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration.OperatorPause;

/** Hears what operators have paused of a queue. Called on the store's threads; it must not block. */
@FunctionalInterface
public interface PauseListener {

    /** Whether the whole queue is paused. */
    void paused(OperatorPause paused);

    /** Which tasks are paused besides. Called before {@link #paused} if the same answer says both. */
    default void pausedTasks(PausedTasks tasks) {}
}
