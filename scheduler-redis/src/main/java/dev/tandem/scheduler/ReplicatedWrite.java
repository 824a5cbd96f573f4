package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a small write, followed by {@code WAIT}, which says how many replicas have that write. Thread-safe.
 *
 * @param connection a connection for this alone, because {@code WAIT} blocks what follows it
 */
record ReplicatedWrite(StatefulRedisConnection<byte[], byte[]> connection, RedisKeys keys) {

    /** The shortest time in milliseconds for which {@code WAIT} may wait. */
    static final long LEAST_WAIT_MILLIS = 100;

    /**
     * Writes to one of this partition's keys. Fails if Redis refuses the write, because {@code WAIT} then counts the replicas
     * that have an older one.
     *
     * @param replicas how many are waited for; 0 to wait for none
     * @return how many replicas have the write when as many have it, or when the time is over
     */
    CompletableFuture<Long> send(Partition partition, int replicas, long waitMillis) {
        String sha = new String(Script.WRITE_BARRIER.sha(), StandardCharsets.US_ASCII);
        CompletableFuture<List<Object>> written = connection
                .async()
                .<List<Object>>evalsha(sha, ScriptOutputType.MULTI, keys.of(partition))
                .toCompletableFuture();
        return replicas == 0
                ? written.thenApply(done -> 0L)
                : written.thenCombine(
                        connection.async().waitForReplication(replicas, waitMillis), (done, reached) -> reached);
    }
}
