package dev.tandem.task.event;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import org.jspecify.annotations.Nullable;

/**
 * One event: what became of a task. It has neither payload nor result.
 *
 * @param number the event's number in its partition. Later events have higher ones, until the store forgets its last writes
 * @param recordedMicros when it was recorded by the store's clock, in epoch microseconds
 * @param id the id that the task's publisher gave; null if none
 * @param type the type that it named, or that the queue gives to tasks that name none; null if neither
 * @param attempt the attempts that were made so far
 * @param startedAt when the last run began by the clock of its executor, in epoch milliseconds; 0 if unknown
 * @param executor the process that recorded the outcome; empty if no executor did
 * @param error how the last run failed, or why there was none; null if it did not fail
 * @param duplicateOf the id of the task of which this one was a duplicate; null if it was none
 */
public record TaskEvent(
        EventKind kind,
        Partition partition,
        Position position,
        long number,
        long recordedMicros,
        @Nullable String id,
        @Nullable String type,
        @Nullable String key,
        int attempt,
        long startedAt,
        long durationMillis,
        String executor,
        @Nullable String error,
        @Nullable String duplicateOf) {}
