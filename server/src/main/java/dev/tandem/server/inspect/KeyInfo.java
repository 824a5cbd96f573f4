package dev.tandem.server.inspect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A blocked key.
 *
 * @param why {@code head}, {@code foreign}, {@code redelivery} or {@code halted}
 * @param since null if unknown
 * @param head the task that the key waits for
 * @param parked how many tasks are parked behind it
 */
public record KeyInfo(
        String key, String partition, String why, @Nullable Instant since, TaskRef head, long parked) {}
