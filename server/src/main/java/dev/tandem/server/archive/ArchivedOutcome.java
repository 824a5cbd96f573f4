package dev.tandem.server.archive;

import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * How a run of a task ended, or the task without a run: what an event told. Queue, partition, position, kind and time name it.
 *
 * @param kind the kind of the event, such as {@code succeeded}
 * @param recordedAt when it was recorded, by the clock of Redis, in microseconds
 * @param id the id that the task's publisher gave; null if none
 * @param attempt the attempts that were made so far
 * @param executor the process that recorded it; null if no executor did
 * @param error how the run failed, cut; null if it did not
 * @param startedAt when the run began; null if that is unknown
 * @param sequence the event's number in its partition
 */
public record ArchivedOutcome(
        String queue,
        String partition,
        String position,
        String kind,
        Instant recordedAt,
        @Nullable String id,
        @Nullable String type,
        @Nullable String key,
        int attempt,
        @Nullable String executor,
        @Nullable String error,
        @Nullable Instant startedAt,
        @Nullable Long durationMillis,
        @Nullable String duplicateOf,
        long sequence) {

    /** The order in which rows are written, so that servers that write the same rows do not wait for each other in a circle. */
    static final Comparator<ArchivedOutcome> BY_NAME = Comparator.comparing(ArchivedOutcome::queue)
            .thenComparing(ArchivedOutcome::partition)
            .thenComparing(ArchivedOutcome::position)
            .thenComparing(ArchivedOutcome::kind)
            .thenComparing(ArchivedOutcome::recordedAt);

    /** Returns the name of the task by its place, as the API calls it. */
    public String ref() {
        return "@" + partition + "/" + position;
    }
}
