package dev.tandem.server.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live executor.
 *
 * @param host the host that it runs on; null if unknown
 * @param started null if unknown
 * @param seen the time of its last heartbeat; null if unknown
 */
public record ExecutorInfo(
        String id,
        @Nullable String host,
        @Nullable Instant started,
        @Nullable Instant seen,
        List<Share> queues) {

    /**
     * An executor's share of one queue.
     *
     * @param partitions null if unknown, because the queue is not in this server's settings
     * @param running null if unknown, or if it does not take its share
     * @param types what it has handlers for; null if unknown
     * @param lacks what others have handlers for and this one does not; null if nothing
     */
    public record Share(
            String queue,
            @Nullable Integer partitions,
            @Nullable Integer running,
            @Nullable List<String> types,
            @Nullable List<String> lacks) {

        public Share(String queue, @Nullable Integer partitions, @Nullable Integer running) {
            this(queue, partitions, running, null, null);
        }
    }
}
