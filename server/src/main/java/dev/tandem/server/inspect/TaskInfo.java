package dev.tandem.server.inspect;

import dev.tandem.task.Envelope;
import dev.tandem.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One task in Redis.
 *
 * @param at when it is due (scheduled, retry), started (active) or ended (dead, succeeded); null if unknown
 * @param key its ordering key, also where there is no envelope
 * @param attempts starts so far
 * @param executor who runs it; null if nobody does
 * @param envelope null for a running task that is in its broker's custody: Redis knows no more of it than that
 */
public record TaskInfo(
        TaskRef ref,
        TaskState state,
        @Nullable Instant at,
        @Nullable String key,
        int attempts,
        @Nullable String executor,
        @Nullable Envelope envelope) {}
