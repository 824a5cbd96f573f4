package dev.tandem.task;

import static dev.tandem.task.TaskState.ACTIVE;
import static dev.tandem.task.TaskState.CANCELLED;
import static dev.tandem.task.TaskState.DEAD;
import static dev.tandem.task.TaskState.DELIVERED;
import static dev.tandem.task.TaskState.EXPIRED;
import static dev.tandem.task.TaskState.PARKED;
import static dev.tandem.task.TaskState.RETRY;
import static dev.tandem.task.TaskState.SCHEDULED;
import static dev.tandem.task.TaskState.SUCCEEDED;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A legal step of a task from one state to another.
 *
 * @param cause why a task takes the step, in a few words
 */
public record TaskTransition(TaskState from, TaskState to, String cause) {

    /**
     * All legal steps. The diagram in {@code docs/state-machine.md} is made from this table, and the model of the store
     * checks every change of a task against it.
     */
    public static final List<TaskTransition> ALL = List.of(
            new TaskTransition(DELIVERED, SCHEDULED, "not due yet, or not the turn of its tenant"),
            new TaskTransition(DELIVERED, PARKED, "its key is blocked"),
            new TaskTransition(DELIVERED, ACTIVE, "claimed"),
            new TaskTransition(DELIVERED, RETRY, "redelivered to another partition after its lease ran out"),
            new TaskTransition(DELIVERED, DEAD, "unreadable"),
            new TaskTransition(DELIVERED, CANCELLED, "cancelled by an operator before its turn"),
            new TaskTransition(SCHEDULED, ACTIVE, "due"),
            new TaskTransition(SCHEDULED, PARKED, "due, but its key is blocked"),
            new TaskTransition(SCHEDULED, DEAD, "skipped by an operator as the head of its key"),
            new TaskTransition(SCHEDULED, CANCELLED, "deleted by an operator"),
            new TaskTransition(PARKED, ACTIVE, "its turn, claimed with the outcome of the task before it"),
            new TaskTransition(PARKED, RETRY, "its turn, due at once"),
            new TaskTransition(PARKED, DEAD, "drained with the head of its key"),
            new TaskTransition(PARKED, CANCELLED, "deleted by an operator"),
            new TaskTransition(ACTIVE, DELIVERED, "not started, or its lease ran out, in the broker's custody"),
            new TaskTransition(ACTIVE, SUCCEEDED, "the handler returned"),
            new TaskTransition(
                    ACTIVE,
                    RETRY,
                    "the attempt failed, was snoozed, did not start or had no handler, or its lease ran out"),
            new TaskTransition(
                    ACTIVE, CANCELLED, "cancelled by an operator while it ran, or discarded by its pull worker"),
            new TaskTransition(ACTIVE, EXPIRED, "its time was over before its handler began"),
            new TaskTransition(ACTIVE, PARKED, "its lease ran out while another task headed its key"),
            new TaskTransition(ACTIVE, DEAD, "attempts used up, or rejected"),
            new TaskTransition(RETRY, ACTIVE, "due"),
            new TaskTransition(RETRY, PARKED, "due, but its key is blocked by another task"),
            new TaskTransition(RETRY, DEAD, "skipped by an operator as the head of its key"),
            new TaskTransition(RETRY, CANCELLED, "deleted by an operator"),
            new TaskTransition(DEAD, RETRY, "replayed by an operator"),
            new TaskTransition(DEAD, CANCELLED, "deleted by an operator"));

    private static final Map<TaskState, Set<TaskState>> NEXT = new EnumMap<>(TaskState.class);

    static {
        ALL.forEach(transition -> NEXT.computeIfAbsent(transition.from, from -> EnumSet.noneOf(TaskState.class))
                .add(transition.to));
    }

    static boolean isLegal(TaskState from, TaskState to) {
        return NEXT.getOrDefault(from, Set.of()).contains(to);
    }
}
