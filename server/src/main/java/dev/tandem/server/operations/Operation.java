package dev.tandem.server.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An operation on many tasks of a queue.
 *
 * @param dryRun whether the tasks are only counted
 * @param at when the tasks are due from now on, as in {@link OperationTime}; null unless they are rescheduled
 * @param askedBy the name of the caller who asked for it first; null if nobody knows, as of one that an earlier version began
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record Operation(
        String queue,
        String id,
        Action action,
        TaskSelection selection,
        boolean dryRun,
        @Nullable String at,
        @Nullable String askedBy) {

    /** The action on each task. */
    public enum Action {
        RETRY(List.of(TaskState.DEAD), List.of(TaskState.DEAD, TaskState.SCHEDULED, TaskState.RETRY)),
        CANCEL(List.of(TaskState.SCHEDULED, TaskState.RETRY, TaskState.PARKED, TaskState.ACTIVE)),
        DELETE(List.of(TaskState.DEAD)),
        /** Gives up dead tasks that halt their keys. */
        SKIP(List.of(TaskState.DEAD)),
        RESCHEDULE(List.of(TaskState.SCHEDULED, TaskState.RETRY));

        private final List<TaskState> usual;
        private final List<TaskState> allowed;

        Action(List<TaskState> states) {
            this(states, states);
        }

        Action(List<TaskState> usual, List<TaskState> allowed) {
            this.usual = usual;
            this.allowed = allowed;
        }

        /** Returns the states of the tasks that it takes if none is named. */
        public List<TaskState> usual() {
            return usual;
        }

        /** Returns the states that may be named. */
        public List<TaskState> allowed() {
            return allowed;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns whether another operation would do the same, whoever asked for it. */
    public boolean doesTheSameAs(Operation other) {
        return equals(
                new Operation(other.queue, other.id, other.action, other.selection, other.dryRun, other.at, askedBy));
    }

    /** Returns when the tasks are due from now on, in epoch milliseconds. */
    public long dueAt(long beganMillis) {
        return OperationTime.millis("at", at, beganMillis, 0);
    }

    /**
     * Returns what chooses the tasks that are to be changed.
     *
     * @param beganMillis when the operation began
     * @param lastToken the highest token of the tasks' partition when the operation came there
     * @throws IllegalArgumentException if a time cannot be read; the message says what to write
     */
    public Predicate<TaskInfo> chooser(long beganMillis, long lastToken) {
        TaskSelection.Chooser chooser = selection.chooser(beganMillis);
        long due = dueAt(beganMillis);
        return task -> chooser.chooses(task) && isToChange(task, beganMillis, lastToken, due);
    }

    private boolean isToChange(TaskInfo task, long began, long lastToken, long due) {
        long at = task.at() == null ? Long.MAX_VALUE : task.at().toEpochMilli();
        return switch (action) {
            case CANCEL -> true;
            case DELETE -> selection.halting() || !task.halts();
            case SKIP -> task.halts();
            // One that is due waits for a slot. The clock of the partition may be behind, so its time of death does not
            // tell.
            case RETRY -> (task.state() == TaskState.DEAD || at > began) && !ranSince(task, lastToken);
            case RESCHEDULE -> at > began && at != due && !ranSince(task, lastToken) && !expiresBefore(task, due);
        };
    }

    /**
     * Returns whether a task has run since the operation came to its partition, and failed. Otherwise an operation would follow
     * those that it has made due for as long as they fail.
     */
    private static boolean ranSince(TaskInfo task, long lastToken) {
        return task.envelope() != null && task.envelope().token() > lastToken;
    }

    private static boolean expiresBefore(TaskInfo task, long due) {
        long expires = task.envelope() == null ? 0 : task.envelope().task().expiresAt();
        return expires > 0 && expires <= due;
    }
}
