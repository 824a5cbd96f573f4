package dev.tandem.task.store;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a task that succeeded: no payload and no headers.
 *
 * @param id the id that its publisher gave; null if none
 * @param attempt the number of the attempt that succeeded
 * @param startedAt when that began by the clock of its executor, in epoch milliseconds; 0 if unknown
 * @param executor the process that ran it
 * @param attempts the attempts before it, as the value of {@link dev.tandem.task.AttemptHistory#HEADER}; null if none
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
        @Nullable String duplicateOf) {

    /** Makes the record of a task that ran. */
    public SuccessRecord(
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            int attempt,
            long startedAt,
            long durationMillis,
            String executor,
            @Nullable String attempts) {
        this(id, type, key, attempt, startedAt, durationMillis, executor, attempts, null);
    }
}
