package dev.tandem.task.store;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a task that succeeded, or ended otherwise behind which its key goes on: no payload and no headers.
 *
 * @param id the id that its publisher gave; null if none
 * @param attempt the number of the attempt that succeeded, or the number of attempts that were made
 * @param startedAt when that began by the clock of its executor, in epoch milliseconds; 0 if unknown
 * @param executor the process that ran it
 * @param attempts the attempts before it, as the value of {@link dev.tandem.task.AttemptHistory#HEADER}; null if none
 * @param end how it ended
 * @param result what its handler returned, as JSON; null if nothing is kept
 * @param duplicateOf the id of the task of which this one was a duplicate, so that it ended without a run; null if it ran
 */
public record SuccessRecord(
        @Nullable String id,
        @Nullable String type,
        @Nullable String key,
        int attempt,
        long startedAt,
        long durationMillis,
        String executor,
        @Nullable String attempts,
        TaskEnd end,
        @Nullable String result,
        @Nullable String duplicateOf) {

    /** Stands in place of the executor of a task that was cancelled while it waited. */
    public static final String OPERATOR = "operator";

    /** Makes the record of a task that ran, and of which no result is kept. */
    public SuccessRecord(
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            int attempt,
            long startedAt,
            long durationMillis,
            String executor,
            @Nullable String attempts,
            TaskEnd end) {
        this(id, type, key, attempt, startedAt, durationMillis, executor, attempts, end, null, null);
    }

    /** Makes the record of a task that succeeded. */
    public SuccessRecord(
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            int attempt,
            long startedAt,
            long durationMillis,
            String executor,
            @Nullable String attempts) {
        this(id, type, key, attempt, startedAt, durationMillis, executor, attempts, TaskEnd.SUCCEEDED);
    }
}
