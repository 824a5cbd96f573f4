package dev.tandem.api;

import org.jspecify.annotations.Nullable;

/** There is no result of a task. The message says why. */
public class TaskResultException extends RuntimeException {

    /** Why there is none. */
    public enum Reason {
        /** The task has not ended in time. It may do so later. */
        NOT_IN_TIME,
        DEAD,
        EXPIRED,
        CANCELLED,
        /** The task succeeded, but its queue keeps no results, or not such long ones. */
        NOT_KEPT,
        /** The result is not JSON that fits the type. */
        UNREADABLE
    }

    private final Reason reason;

    /** @param message what happened, for people */
    public TaskResultException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Returns why there is no result. */
    public Reason reason() {
        return reason;
    }
}
