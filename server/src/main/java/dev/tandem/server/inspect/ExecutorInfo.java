package dev.tandem.server.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An executor that is alive.
 *
 * @param host where it runs; null if unknown
 * @param started null if unknown
 * @param seen when it was last heard of; null if unknown
 */
public record ExecutorInfo(
        String id,
        @Nullable String host,
        @Nullable Instant started,
        @Nullable Instant seen,
        List<Share> queues) {

    /**
     * What it holds of one queue.
     *
     * @param partitions null if unknown: the queue is not in this server's settings
     * @param running null if unknown
     */
    public record Share(
            String queue,
            @Nullable Integer partitions,
            @Nullable Integer running) {}
}
