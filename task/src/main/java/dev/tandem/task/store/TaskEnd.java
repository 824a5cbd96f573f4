package dev.tandem.task.store;

import dev.tandem.task.TaskState;

/** How a task ended whose key goes on as behind a success. It is kept and counted as what it is. */
public enum TaskEnd {
    SUCCEEDED(TaskState.SUCCEEDED),
    EXPIRED(TaskState.EXPIRED),
    CANCELLED(TaskState.CANCELLED);

    private final TaskState state;

    TaskEnd(TaskState state) {
        this.state = state;
    }

    /** Returns the state of a task that ended so. */
    public TaskState state() {
        return state;
    }
}
