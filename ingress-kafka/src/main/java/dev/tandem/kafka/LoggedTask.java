package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * A task as its record describes it, without the payload.
 *
 * @param id the id that its publisher gave; null if it gave none
 * @param publishedAt in epoch milliseconds; 0 if unknown
 * @param notBefore its earliest start in epoch milliseconds; 0 if it may start at once
 * @param readable whether the record is a task; one that is none dies in its place
 */
public record LoggedTask(
        long offset, @Nullable String id, @Nullable String type, long publishedAt, long notBefore, boolean readable) {}
