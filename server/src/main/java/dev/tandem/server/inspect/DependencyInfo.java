package dev.tandem.server.inspect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task that another one waits for, or waited.
 *
 * @param queue its queue
 * @param key its deduplication key
 * @param state what it does: waits, begun, done or failed; null if nothing is known of it
 * @param ref that task; null if nothing is known of it
 * @param id its id; null if nothing is known of it
 * @param since since when the other task waits for it; null if that has not asked yet
 * @param over whether the other task need not wait for it any more
 */
public record DependencyInfo(
        String queue,
        String key,
        @Nullable String state,
        @Nullable TaskRef ref,
        @Nullable String id,
        @Nullable Instant since,
        boolean over) {}
