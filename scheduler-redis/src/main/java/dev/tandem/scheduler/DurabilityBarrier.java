package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which writes are on disk and have reached the replicas. Uses a connection of its own, because {@code
 * WAIT} and {@code WAITAOF} block what follows them.
 *
 * <p>A barrier is a write on this connection, followed by WAIT and, from Redis 7.2 on, by {@code WAITAOF}. It comes after
 * everything that was answered on the other connection before it was sent, because both are connected to the same
 * process. Once it is confirmed, all of that is safe. A probe asks about what was answered a horizon ago, so it succeeds
 * if a barrier sent since then is confirmed. At most one barrier is under way at a time. Thread-safe.
 */
final class DurabilityBarrier {

    private static final Logger log = LoggerFactory.getLogger(DurabilityBarrier.class);

    private static final long SLOW_DISK_MILLIS = 2_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final ProtocolKeyword WAITAOF = new ProtocolKeyword() {
        @Override
        public byte[] getBytes() {
            return "WAITAOF".getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String toString() {
            return "WAITAOF";
        }
    };

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final ReplicatedWrite write;
    private final int replicas;
    private final long waitMillis;
    private final long horizonNanos;

    // Guarded by this.
    private boolean waitsForDisk;
    private boolean underWay;
    private long sentAt = System.nanoTime() - PAUSE_NANOS;
    private @Nullable Partition requestedMeanwhile;
    private boolean everConfirmed;
    private long confirmedAt;
    private boolean warned;

    /**
     * @param replicas how many replicas must confirm, 0 or more
     * @param waitsForDisk whether Redis has {@code WAITAOF}, and must confirm that the write is in its append-only file
     */
    DurabilityBarrier(
            StatefulRedisConnection<byte[], byte[]> connection,
            RedisKeys keys,
            int replicas,
            boolean waitsForDisk,
            RedisSettings settings) {
        this.connection = connection;
        this.write = new ReplicatedWrite(connection, keys);
        this.replicas = replicas;
        this.waitsForDisk = waitsForDisk;
        this.waitMillis =
                Math.max(ReplicatedWrite.LEAST_WAIT_MILLIS, settings.horizon().toMillis());
        this.horizonNanos = settings.horizon().toNanos();
    }

    /** Sends a barrier, now or when the one under way has ended. It writes to one of this partition's keys. */
    void request(Partition partition) {
        synchronized (this) {
            if (underWay) {
                requestedMeanwhile = partition;
                return;
            }
            underWay = true;
        }
        send(partition, System.nanoTime());
    }

    /**
     * Sends a barrier if none is under way, and none was sent a moment ago. For a hand-over that was answered: a sync may
     * take a second, so that a barrier that is sent with the first probe would come late.
     */
    void requestEarly(Partition partition) {
        long now = System.nanoTime();
        synchronized (this) {
            if (!waitsForDisk || underWay || now - sentAt < PAUSE_NANOS) {
                return;
            }
            underWay = true;
        }
        send(partition, now);
    }

    private void send(Partition partition, long now) {
        synchronized (this) {
            sentAt = now;
        }
        write.send(partition, replicas, waitMillis)
                .thenCompose(reached -> {
                    noteReached(reached);
                    return reached < replicas || !isWaitingForDisk()
                            ? CompletableFuture.completedFuture(reached >= replicas)
                            : waitForDisk();
                })
                .whenComplete((confirmed, failure) -> ended(now, failure == null && confirmed));
    }

    private synchronized boolean isWaitingForDisk() {
        return waitsForDisk;
    }

    /** Returns whether this process has the barrier in its append-only file. Of replicas it is enough that they have it. */
    private CompletableFuture<Boolean> waitForDisk() {
        CommandArgs<byte[], byte[]> args =
                new CommandArgs<>(ByteArrayCodec.INSTANCE).add(1).add(0).add(waitMillis);
        return connection
                .async()
                .<List<Long>>dispatch(WAITAOF, new IntegerListOutput<>(ByteArrayCodec.INSTANCE), args)
                .toCompletableFuture()
                .handle((synced, failure) ->
                        failure == null ? noteSynced(synced.get(0) >= 1) : waitForDiskFailed(failure));
    }

    private boolean noteSynced(boolean synced) {
        // A sync each second may just have begun.
        if (!synced && waitMillis > SLOW_DISK_MILLIS && warnOnce()) {
            log.warn(
                    "Redis did not sync its append-only file within {} ms. Until it does, nothing counts as durable, and"
                            + " no broker message that Redis took custody of is acknowledged",
                    waitMillis);
        }
        return synced;
    }

    /** Goes on without WAITAOF where it is not allowed, as in some hosted Redis: then the horizon must do. */
    private boolean waitForDiskFailed(Throwable failure) {
        String reason = RedisFailures.describe(failure);
        boolean refused = reason.startsWith("ERR unknown command") || reason.startsWith("NOPERM");
        if (connection.isOpen() && warnOnce()) {
            log.warn("WAITAOF failed: {}{}", reason, refused ? ". Relying on tandem.redis.horizon instead" : "");
        }
        if (refused) {
            synchronized (this) {
                waitsForDisk = false;
            }
        }
        return refused;
    }

    private void noteReached(long reached) {
        if (reached < replicas && warnOnce()) {
            log.warn(
                    "Only {} of {} replicas confirmed within {} ms. Until all of them do, nothing counts as durable, and"
                            + " no broker message that Redis took custody of is acknowledged.",
                    reached,
                    replicas,
                    waitMillis);
        }
    }

    private void ended(long barrierSentAt, boolean confirmed) {
        Partition next;
        synchronized (this) {
            if (confirmed) {
                confirmedAt = barrierSentAt;
                everConfirmed = true;
                warned = false;
            }
            next = connection.isOpen() ? requestedMeanwhile : null;
            requestedMeanwhile = null;
            underWay = next != null;
        }
        if (next != null) {
            send(next, System.nanoTime());
        }
    }

    private synchronized boolean warnOnce() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** Returns whether what was answered a horizon before this {@link System#nanoTime} is safe. */
    synchronized boolean isDurable(long probeSentAt) {
        return everConfirmed && confirmedAt - (probeSentAt - horizonNanos) >= 0;
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
