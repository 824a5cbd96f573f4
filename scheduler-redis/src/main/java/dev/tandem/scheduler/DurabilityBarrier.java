package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.ScriptOutputType;
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
 * if a barrier sent since then is confirmed. At most one barrier is under way at a time.
 *
 * <p>The barrier also tells whether the primary has been cut off: then no write reaches its replicas, one of which may
 * have been promoted meanwhile. Thread-safe.
 */
final class DurabilityBarrier {

    private static final Logger log = LoggerFactory.getLogger(DurabilityBarrier.class);

    static final long DEFAULT_LEASE_MILLIS = 10_000;
    private static final long LEAST_WAIT_MILLIS = 100;
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
    private final RedisKeys keys;
    private final int replicas;
    private final long horizonMillis;
    private final long horizonNanos;

    // Guarded by this.
    private boolean waitsForDisk;
    private long leaseMillis = DEFAULT_LEASE_MILLIS;
    private boolean underWay;
    private long sentAt = System.nanoTime() - PAUSE_NANOS;
    private @Nullable Partition requestedMeanwhile;
    private long requestedAt = System.nanoTime();
    private long heardAt = System.nanoTime();
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
        this.keys = keys;
        this.replicas = replicas;
        this.waitsForDisk = waitsForDisk;
        this.horizonMillis = settings.horizon().toMillis();
        this.horizonNanos = settings.horizon().toNanos();
    }

    /** Finds out how many replicas have what is written now. Writes to one of this partition's keys. */
    CompletableFuture<Long> countAnswering(Partition partition, long limitMillis) {
        return replicas == 0 ? CompletableFuture.completedFuture(0L) : writeAndWait(partition, limitMillis);
    }

    /**
     * Sends a barrier, now or when the one under way has ended. It writes to one of this partition's keys.
     *
     * @param lease of the owner that asks, in ms
     */
    void request(Partition partition, long lease) {
        long now = System.nanoTime();
        synchronized (this) {
            leaseMillis = lease;
            if (now - requestedAt > halfLeaseNanos()) {
                heardAt = now; // nobody asked, so nobody can have been heard
            }
            requestedAt = now;
            if (underWay) {
                requestedMeanwhile = partition;
                return;
            }
            underWay = true;
        }
        send(partition, now);
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
        long limit = waitMillis();
        writeAndWait(partition, limit)
                .thenCompose(reached -> {
                    heard(now, reached);
                    return reached < replicas || !isWaitingForDisk()
                            ? CompletableFuture.completedFuture(reached >= replicas)
                            : waitForDisk();
                })
                .whenComplete((confirmed, failure) -> ended(now, failure == null && confirmed));
    }

    /** Returns how many replicas have the barrier. Fails if Redis refused the write: then WAIT means an older one. */
    private CompletableFuture<Long> writeAndWait(Partition partition, long limitMillis) {
        String sha = new String(Script.WRITE_BARRIER.sha(), StandardCharsets.US_ASCII);
        CompletableFuture<List<Object>> written = connection
                .async()
                .<List<Object>>evalsha(sha, ScriptOutputType.MULTI, keys.of(partition))
                .toCompletableFuture();
        return replicas == 0
                ? written.thenApply(done -> 0L)
                : written.thenCombine(
                        connection.async().waitForReplication(replicas, limitMillis), (done, reached) -> reached);
    }

    private synchronized boolean isWaitingForDisk() {
        return waitsForDisk;
    }

    /** Returns whether this process has the barrier in its append-only file. Of replicas it is enough that they have it. */
    private CompletableFuture<Boolean> waitForDisk() {
        long limit = diskMillis();
        CommandArgs<byte[], byte[]> args =
                new CommandArgs<>(ByteArrayCodec.INSTANCE).add(1).add(0).add(limit);
        return connection
                .async()
                .<List<Long>>dispatch(WAITAOF, new IntegerListOutput<>(ByteArrayCodec.INSTANCE), args)
                .toCompletableFuture()
                .handle((synced, failure) ->
                        failure == null ? noteSynced(synced.get(0) >= 1, limit) : waitForDiskFailed(failure));
    }

    private boolean noteSynced(boolean synced, long limit) {
        // A sync each second may just have begun.
        if (!synced && limit > SLOW_DISK_MILLIS && warnOnce()) {
            log.warn(
                    "Redis did not sync its append-only file within {} ms. Until it does, nothing counts as durable, and"
                            + " no broker message that Redis took custody of is acknowledged",
                    limit);
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

    /** Notes how many replicas have a barrier. */
    private void heard(long barrierSentAt, long reached) {
        synchronized (this) {
            if (isQuorum(reached)) {
                heardAt = barrierSentAt;
            }
        }
        if (reached < replicas && warnOnce()) {
            log.warn(
                    "Only {} of {} replicas confirmed within {} ms. Until all of them do, nothing counts as durable, and"
                            + " no broker message that Redis took custody of is acknowledged.",
                    reached,
                    replicas,
                    waitMillis());
        }
    }

    /** Returns whether so many replicas, together with the primary, are more than half of all. */
    boolean isQuorum(long reached) {
        return reached * 2 >= replicas;
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

    /**
     * Returns whether too few replicas have answered for half a lease. Another one may have been promoted then, and its
     * first owners begin when a lease is over.
     */
    synchronized boolean isCutOff() {
        return replicas > 0 && requestedAt - heardAt > halfLeaseNanos();
    }

    int replicas() {
        return replicas;
    }

    // A barrier may not take so long that the next one comes too late to notice that the primary is cut off.

    private synchronized long waitMillis() {
        return Math.max(LEAST_WAIT_MILLIS, Math.min(horizonMillis, leaseMillis / 4));
    }

    private synchronized long diskMillis() {
        return Math.max(LEAST_WAIT_MILLIS, Math.min(horizonMillis, leaseMillis / 3));
    }

    private long halfLeaseNanos() {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis) / 2;
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
