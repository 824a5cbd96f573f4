package dev.tandem.server.inspect;

import java.time.Instant;

/**
 * A task that an executor has claimed.
 *
 * @param task without payload and headers
 * @param until when the claim lapses unless it is renewed
 */
public record ClaimedTask(TaskInfo task, Instant until) {}
