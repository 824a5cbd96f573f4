package dev.tandem.task;

/** The states of a task. {@link TaskTransition#ALL} lists the legal steps between them. */
public enum TaskState {
    /** The broker has custody and has delivered the task. The store holds nothing of it but the count of its lapses. */
    DELIVERED,
    /** The store holds the task until its time comes, or the turn of its tenant. */
    SCHEDULED,
    /** The store holds the task in the lane of its blocked key. */
    PARKED,
    /** The task is claimed: it runs, or is about to. */
    ACTIVE,
    /** The store holds the task until its next attempt, which is due at once if the task was put back. */
    RETRY,
    SUCCEEDED,
    /** The task used up its attempts or was rejected. The store keeps it whole, so that it can be replayed. */
    DEAD,
    CANCELLED,
    /** The time of the task was over before its handler began. */
    EXPIRED;

    /** Whether a task may step from this state to the given one. */
    public boolean mayBecome(TaskState next) {
        return TaskTransition.isLegal(this, next);
    }

    /** Whether the platform itself never takes a task out of this state. An operator may replay a dead task. */
    public boolean isFinal() {
        return this == SUCCEEDED || this == DEAD || this == CANCELLED || this == EXPIRED;
    }
}
