package dev.tandem.server.inspect;

import java.time.Instant;

/**
 * A deduplication key of a queue.
 *
 * @param state what the task does that has the key: waits, begun, done or failed
 * @param ref that task
 * @param id its id
 * @param since when it came
 * @param dueAt when it is due
 * @param taken whether others with the key are duplicates now
 * @param takenUntil until when, if nothing more is heard of the task
 * @param others how many others with the key are remembered
 */
public record DedupKeyInfo(
        String state,
        TaskRef ref,
        String id,
        Instant since,
        Instant dueAt,
        boolean taken,
        Instant takenUntil,
        long others) {}
