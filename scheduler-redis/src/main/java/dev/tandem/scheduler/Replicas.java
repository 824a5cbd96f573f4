package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out up to when writes are on the replicas, on a connection of its own, for WAIT holds up all that comes behind.
 *
 * <p>A barrier is a write of this connection, then WAIT. It comes after everything that was answered on the other
 * connection before it was sent, for both talk to the same process. So when it is confirmed, all of that is on the
 * replicas. A probe asks for what was answered a horizon ago: it holds if a barrier that was sent since then has been
 * confirmed. Thread-safe.
 */
final class Replicas {

    private static final Logger log = LoggerFactory.getLogger(Replicas.class);

    private static final byte[] FIELD = "barrier".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VALUE = {'1'};

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final int count;
    private final long horizonNanos;
    private final long limitMillis;
    private final AtomicBoolean waiting = new AtomicBoolean();

    private volatile boolean ever;
    private volatile long confirmedAt;
    private volatile boolean told;

    Replicas(StatefulRedisConnection<byte[], byte[]> connection, RedisSettings settings) {
        this.connection = connection;
        this.count = settings.replicas();
        this.horizonNanos = settings.horizon().toNanos();
        this.limitMillis = Math.max(100, settings.horizon().toMillis() / 2);
    }

    /** Sends a barrier unless one is on its way. The partition only says which of its keys is written to. */
    void probed(Partition partition) {
        if (!waiting.compareAndSet(false, true)) {
            return;
        }
        long sentAt = System.nanoTime();
        byte[] owner = Keys.of(partition)[0];
        // A removal of a field that is there, then the field again: a write whatever was there before.
        connection.async().hdel(owner, FIELD);
        connection.async().hset(owner, FIELD, VALUE);
        connection.async().waitForReplication(count, limitMillis).whenComplete((confirmed, failure) -> {
            if (failure == null && confirmed >= count) {
                confirmedAt = sentAt;
                ever = true;
                told = false;
            } else if (failure == null && !told) {
                told = true;
                log.warn(
                        "{} of {} replicas confirmed within {} ms: until they do, nothing counts as durable,"
                                + " and what was handed over to Redis is not acknowledged to its broker",
                        confirmed,
                        count,
                        limitMillis);
            }
            waiting.set(false);
        });
    }

    /** Whether what was answered a horizon before this {@link System#nanoTime} is on the replicas. */
    boolean durable(long sentAt) {
        return ever && confirmedAt - (sentAt - horizonNanos) >= 0;
    }

    void whenBroken(RedisConnectionStateListener listener) {
        connection.addListener(listener);
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    void close() {
        connection.closeAsync();
    }
}
