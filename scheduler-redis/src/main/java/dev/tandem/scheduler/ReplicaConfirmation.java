package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which writes have reached the replicas. Uses a connection of its own, because WAIT blocks what follows it.
 *
 * <p>A barrier is a write on this connection, followed by WAIT. It comes after everything that was answered on the other
 * connection before it was sent, because both are connected to the same process. Once it is confirmed, all of that is on
 * the replicas. A probe asks about what was answered a horizon ago, so it succeeds if a barrier sent since then is
 * confirmed. Thread-safe.
 */
final class ReplicaConfirmation {

    private static final Logger log = LoggerFactory.getLogger(ReplicaConfirmation.class);

    private static final byte[] FIELD = "barrier".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VALUE = {'1'};

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final int requiredReplicas;
    private final long horizonNanos;
    private final long waitMillis;
    private final AtomicBoolean waiting = new AtomicBoolean();

    private volatile boolean everConfirmed;
    private volatile long confirmedAt;
    private volatile boolean warned;

    ReplicaConfirmation(StatefulRedisConnection<byte[], byte[]> connection, RedisSettings settings) {
        this.connection = connection;
        this.requiredReplicas = settings.replicas();
        this.horizonNanos = settings.horizon().toNanos();
        this.waitMillis = Math.max(100, settings.horizon().toMillis() / 2);
    }

    /** Sends a barrier unless one is under way. It writes to one of this partition's keys. */
    void request(Partition partition) {
        if (!waiting.compareAndSet(false, true)) {
            return;
        }
        long sentAt = System.nanoTime();
        byte[] owner = RedisKeys.of(partition)[0];
        // Removing the field and setting it again is a write, whatever was there before.
        connection.async().hdel(owner, FIELD);
        connection.async().hset(owner, FIELD, VALUE);
        connection.async().waitForReplication(requiredReplicas, waitMillis).whenComplete((confirmed, failure) -> {
            if (failure == null && confirmed >= requiredReplicas) {
                confirmedAt = sentAt;
                everConfirmed = true;
                warned = false;
            } else if (failure == null && !warned) {
                warned = true;
                log.warn(
                        "Only {} of {} replicas confirmed within {} ms. Until all of them do, nothing counts as"
                                + " durable, and no broker message that Redis took custody of is acknowledged.",
                        confirmed,
                        requiredReplicas,
                        waitMillis);
            }
            waiting.set(false);
        });
    }

    /** Returns whether the replicas have what was answered a horizon before this {@link System#nanoTime}. */
    boolean isDurable(long sentAt) {
        return everConfirmed && confirmedAt - (sentAt - horizonNanos) >= 0;
    }

    void addListener(RedisConnectionStateListener listener) {
        connection.addListener(listener);
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    void close() {
        connection.closeAsync();
    }
}
