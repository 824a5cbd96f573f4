package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.UnhandledSince;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A change that an operator makes of tasks. */
public sealed interface TaskChange {

    /** Returns the name by which the script knows it. */
    String name();

    /** Returns the argument of the script. */
    default String argument() {
        return "";
    }

    /** Returns whether it can only be made of a task as it was seen. */
    default boolean needsSeen(TaskView seen) {
        return false;
    }

    /** Returns whether it may end tasks. A dead one has ended already. */
    default boolean endsTasks() {
        return false;
    }

    /** Returns the envelope that the task gets; null if it keeps its own. */
    default @Nullable Envelope then(TaskView seen, Envelope envelope) {
        return null;
    }

    /** Returns whether an executor has made it already, so that it is only counted. */
    default boolean isMade(TaskView seen) {
        return false;
    }

    /** Changes nothing. */
    record None() implements TaskChange {
        @Override
        public String name() {
            return "none";
        }
    }

    /** Lets a dead task run again, with all its attempts, and makes a scheduled or retried one due now. */
    record Retry() implements TaskChange {
        @Override
        public String name() {
            return "retry";
        }

        @Override
        public boolean needsSeen(TaskView seen) {
            return seen.state() == TaskState.DEAD;
        }

        @Override
        public @Nullable Envelope then(TaskView seen, Envelope envelope) {
            if (seen.state() != TaskState.DEAD) {
                return null;
            }
            // An executor of an earlier version keeps the time of the first try when it lets a task die.
            Task task = RetriedByOperator.with(
                    UnhandledSince.without(envelope.task().readable()));
            return new Envelope(task, 0, envelope.token(), envelope.error());
        }
    }

    /** Gives up a dead task that halts its key, so that the next one of the key goes on. */
    record Skip() implements TaskChange {
        @Override
        public String name() {
            return "skip";
        }
    }

    /** Removes a dead task for good; cancels a scheduled, retried or parked one. */
    record Delete(Admin.Deletion which) implements TaskChange {
        @Override
        public String name() {
            return "delete";
        }

        @Override
        public String argument() {
            return ScriptCodes.deletion(which);
        }

        @Override
        public boolean endsTasks() {
            return switch (which) {
                case ANY, WAITING -> true;
                case DEAD, DEAD_NOT_HALTING -> false;
            };
        }
    }

    /** Counts tasks that their executors have cancelled, and cancels those that wait by now. */
    record CancelRunning(Set<Position> cancelled) implements TaskChange {

        public CancelRunning {
            cancelled = Set.copyOf(cancelled);
        }

        @Override
        public String name() {
            return "delete";
        }

        @Override
        public String argument() {
            return ScriptCodes.deletion(Admin.Deletion.WAITING);
        }

        @Override
        public boolean endsTasks() {
            return true;
        }

        @Override
        public boolean isMade(TaskView seen) {
            return cancelled.contains(seen.position());
        }
    }

    /** Gives a waiting or dead task another payload. */
    record Edit(byte[] payload) implements TaskChange {
        @Override
        public String name() {
            return "edit";
        }

        @Override
        public boolean needsSeen(TaskView seen) {
            return true;
        }

        @Override
        public Envelope then(TaskView seen, Envelope envelope) {
            return new Envelope(
                    envelope.task().withPayload(payload), envelope.attempts(), envelope.token(), envelope.error());
        }
    }

    /** Gives a scheduled or retried task another time. @param dueAt epoch milliseconds; a time in the past is now */
    record Reschedule(long dueAt) implements TaskChange {
        @Override
        public String name() {
            return "reschedule";
        }

        @Override
        public String argument() {
            return Long.toString(dueAt);
        }

        @Override
        public boolean needsSeen(TaskView seen) {
            return true;
        }

        @Override
        public Envelope then(TaskView seen, Envelope envelope) {
            Task later = envelope.task().withNotBefore(dueAt);
            return new Envelope(later, envelope.attempts(), envelope.token(), envelope.error());
        }
    }
}
