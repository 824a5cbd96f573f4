package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Knows when enough replicas last had a write of their primary. A primary that is cut off from them may have been replaced
 * by one of them, and does not notice.
 *
 * <p>To ask is a write, followed by {@code WAIT}. Both go over a connection of their own, because {@code WAIT} blocks what
 * follows, and because the {@link DurabilityBarrier} waits for all replicas and for disks. At most one question is under
 * way at a time. Without an answer it is asked again. Thread-safe.
 */
final class ReplicaContact {

    /** The part of a lease for which an answer of the replicas is good enough to start tasks: one in this many. */
    private static final int FRESH_SHARE = 8;

    static final long DEFAULT_LEASE_MILLIS = 10_000;

    /** A link with an answer that it may not use yet. */
    private record Waiting(Partition partition, Runnable asked) {}

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final ReplicatedWrite write;
    private final int replicas;

    // Guarded by this.
    private long leaseMillis = DEFAULT_LEASE_MILLIS;
    private boolean leaseKnown;
    private boolean asking;
    private long askedAt = System.nanoTime();
    private long heardAt = askedAt;
    /** When the first question was asked that nobody has answered yet; null if there is none. */
    private @Nullable Long unansweredSince;

    private List<Waiting> waiting = new ArrayList<>();
    private int failures;

    /** @param replicas how many there are, 1 or more */
    ReplicaContact(StatefulRedisConnection<byte[], byte[]> connection, RedisKeys keys, int replicas) {
        this.connection = connection;
        this.write = new ReplicatedWrite(connection, keys);
        this.replicas = replicas;
    }

    /** Returns how many replicas have what is written now. Writes to one of this partition's keys. */
    CompletableFuture<Long> countAnswering(Partition partition, long limitMillis) {
        long sentAt = System.nanoTime();
        return write.send(partition, quorum(), limitMillis).thenApply(reached -> {
            heard(sentAt, reached);
            return reached;
        });
    }

    /** Returns how many replicas are enough: together with the primary, they are more than half of all. */
    private int quorum() {
        return (replicas + 1) / 2;
    }

    /** Returns whether so many replicas are enough. */
    boolean isQuorum(long reached) {
        return reached >= quorum();
    }

    /**
     * Asks the replicas if they were not asked lately, so that the answer of a busy owner never waits for them.
     *
     * @param lease of the owner that uses the connection, in ms
     */
    void keepFresh(Partition partition, long lease) {
        synchronized (this) {
            leaseMillis = leaseKnown ? Math.min(leaseMillis, lease) : lease;
            leaseKnown = true;
            if (asking || System.nanoTime() - askedAt < freshNanos() / 2) {
                return;
            }
            asking = true;
        }
        ask(partition);
    }

    /**
     * Returns whether the answer to a request may start tasks: enough replicas have a write that is younger than the
     * request, or young enough.
     *
     * @param sentAt when the request was sent, by {@link System#nanoTime}
     */
    synchronized boolean mayStart(long sentAt) {
        return heardAt - sentAt >= 0 || System.nanoTime() - heardAt <= freshNanos();
    }

    /**
     * Calls back after Redis has answered a question about the replicas, whatever the answer is. Asks if no question is under
     * way.
     */
    void whenAsked(Partition partition, Runnable asked) {
        synchronized (this) {
            waiting.add(new Waiting(partition, asked));
            if (asking) {
                return;
            }
            asking = true;
        }
        ask(partition);
    }

    /** Asks again if Redis refused the last question. Called every now and then. */
    void askAgain() {
        Partition partition;
        synchronized (this) {
            if (asking || waiting.isEmpty()) {
                return;
            }
            asking = true;
            // A partition that has moved to another node is refused, so another one is tried the next time.
            partition = waiting.get(failures % waiting.size()).partition();
        }
        ask(partition);
    }

    private void ask(Partition partition) {
        long now = System.nanoTime();
        long limit;
        synchronized (this) {
            askedAt = now;
            if (unansweredSince == null) {
                unansweredSince = now;
            }
            limit = Math.max(ReplicatedWrite.LEAST_WAIT_MILLIS, leaseMillis / 4);
        }
        write.send(partition, quorum(), limit).whenComplete((reached, failure) -> {
            if (failure == null) {
                heard(now, reached);
                answered(partition);
            } else {
                refused(failure);
            }
        });
    }

    private synchronized void heard(long sentAt, long reached) {
        if (isQuorum(reached)) {
            heardAt = sentAt;
            unansweredSince = null;
        }
    }

    private void answered(Partition partition) {
        List<Waiting> told;
        boolean again;
        synchronized (this) {
            told = waiting;
            waiting = new ArrayList<>();
            again = unansweredSince != null && connection.isOpen();
            asking = again;
        }
        if (again) {
            ask(partition);
        }
        told.forEach(each -> each.asked().run());
    }

    /** Leaves it to {@link #askAgain} to repeat the question, because Redis refuses at once. */
    private synchronized void refused(Throwable failure) {
        asking = false;
        failures++;
        if (RedisFailures.kind(failure) == RedisFailures.Kind.MOVED) {
            unansweredSince = null; // says nothing about the replicas
        }
    }

    /**
     * Returns whether too few replicas have answered for half a lease. Another one may have been promoted then, and its
     * first owners begin when a lease is over.
     */
    synchronized boolean isCutOff() {
        return unansweredSince != null
                && System.nanoTime() - unansweredSince > TimeUnit.MILLISECONDS.toNanos(leaseMillis) / 2;
    }

    int replicas() {
        return replicas;
    }

    private long freshNanos() {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis) / FRESH_SHARE;
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
