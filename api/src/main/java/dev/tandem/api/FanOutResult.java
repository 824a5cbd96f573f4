package dev.tandem.api;

import java.util.List;

/**
 * How a fan-out ended, as its final task sees it.
 *
 * @param id the id of the fan-out
 * @param why why it was stopped; "" if it was not
 * @param subtasks how many subtasks it had
 * @param failed how many of them died or expired
 * @param cancelled how many of them were cancelled
 * @param errors the first errors, at most 10
 */
public record FanOutResult(
        String id,
        State state,
        String why,
        long subtasks,
        long succeeded,
        long failed,
        long cancelled,
        List<Failure> errors) {

    public FanOutResult {
        errors = List.copyOf(errors);
    }

    /** How a fan-out ended. */
    public enum State {
        /** All of its subtasks ran, and as many failed as its rule allows. */
        COMPLETED,
        /** More subtasks failed than its rule allows, so others may not have run. */
        FAILED,
        /** Somebody cancelled it, so some subtasks may not have run. */
        CANCELLED,
        /** Its master ended before all subtasks were published. */
        ABANDONED
    }

    /**
     * A subtask that failed.
     *
     * @param number its number in the stream, from 0
     * @param error the first 300 characters
     */
    public record Failure(long number, String error) {}
}
