package dev.tandem.api;

import org.jspecify.annotations.Nullable;

/** How an attempt ended, as an {@link Interceptor} sees it. */
public enum RunOutcome {
    SUCCEEDED,
    /** The attempt failed, and another one follows. */
    RETRIED,
    DEAD,
    /** The task runs again without having spent an attempt. Nothing has failed. */
    SNOOZED,
    /**
     * The handler was interrupted, at its timeout, because the process ends or because its task was cancelled, or its claim ran
     * out. Whether another attempt follows is decided after the interceptors.
     */
    INTERRUPTED;

    /** Returns the outcome of an attempt whose handler returned. */
    public static RunOutcome of(TaskContext task, @Nullable Result result) {
        if (task.isCancelled()) {
            return INTERRUPTED;
        }
        if (result instanceof Result.Done) {
            return SUCCEEDED;
        }
        if (result instanceof Result.Snooze) {
            return SNOOZED;
        }
        return result instanceof Result.Dead || task.isLastAttempt() ? DEAD : RETRIED;
    }

    /** Returns the outcome of an attempt whose handler threw. */
    public static RunOutcome of(TaskContext task, Throwable failure) {
        if (task.isCancelled()) {
            return INTERRUPTED;
        }
        if (task.isFinal(failure)) {
            return DEAD;
        }
        return failure instanceof SnoozeError && !(failure instanceof RetryLaterException) ? SNOOZED : RETRIED;
    }
}
