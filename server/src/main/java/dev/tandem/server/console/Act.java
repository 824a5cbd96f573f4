package dev.tandem.server.console;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The actions that an operator may take on a task. The API decides in the end: the task may have changed. */
enum Act {
    /** Run a dead task again, with all its attempts. */
    RETRY,
    /** Run a task now that waits for its time. */
    RUN,
    /** Give a task that waits for its time another one. A page of a task has a form for it. */
    RESCHEDULE,
    CANCEL,
    DELETE;

    /** Returns what may be done to tasks in a state. @param state as in the API; null if they have several states */
    static List<Act> on(@Nullable String state) {
        if (state == null) {
            return List.of(RETRY, CANCEL, DELETE);
        }
        return switch (state) {
            case "dead" -> List.of(RETRY, DELETE);
            case "scheduled", "retry" -> List.of(RUN, RESCHEDULE, CANCEL);
            case "parked", "active" -> List.of(CANCEL);
            default -> List.of();
        };
    }
}
