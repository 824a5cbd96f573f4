package dev.tandem.task.statistics;

import dev.tandem.task.Outcome;
import org.jspecify.annotations.Nullable;

/** The counters of the runs of a queue. The order is that of the numbers in the store: new ones go to the end. */
public enum RunCount {
    /** Handlers that began, and tasks that pull workers got. */
    STARTED,
    SUCCEEDED,
    /** Attempts that failed, and will be followed by another. */
    RETRIED,
    /** Tasks that died. */
    DEAD,
    /** Tasks whose time was over. */
    EXPIRED,
    /** Tasks that were cancelled while an executor had them. */
    CANCELLED,
    /** Tasks that ended as duplicates. */
    DUPLICATES;

    /** Returns what an outcome counts as; null if it is not counted. */
    public static @Nullable RunCount of(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            return SUCCEEDED;
        } else if (outcome instanceof Outcome.Retry) {
            return RETRIED;
        } else if (outcome instanceof Outcome.Dead) {
            return DEAD;
        } else if (outcome instanceof Outcome.Expired) {
            return EXPIRED;
        } else if (outcome instanceof Outcome.Cancelled) {
            return CANCELLED;
        }
        return outcome instanceof Outcome.Duplicate ? DUPLICATES : null;
    }
}
