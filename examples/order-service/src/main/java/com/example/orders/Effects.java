package com.example.orders;

import dev.tandem.api.TaskContext;

/** Writes what a handler changes in the database. */
@FunctionalInterface
interface Effects {

    /**
     * Runs the effects in a transaction, unless an earlier attempt at the task has committed them.
     *
     * @param effects writes to the database and submits tasks, which are part of the transaction too
     */
    void once(TaskContext task, Runnable effects);
}
