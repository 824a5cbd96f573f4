package dev.tandem.scheduler;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tasks whose ends somebody waits for, as the messages of those who wait say. They repeat them, so each counts for
 * {@link #COUNTS_MILLIS}. Thread-safe.
 */
final class AwaitedEnds {

    /** How long somebody who has said so is taken to wait. */
    static final long COUNTS_MILLIS = 15_000;

    /** The most names of one queue that are remembered. With more, all its tasks count as awaited. */
    static final int MAX_NAMES = 10_000;

    /** The names of one queue that are awaited. */
    static final class Names {

        private final Map<String, Long> until = new HashMap<>();
        private long allUntil = Long.MIN_VALUE;
        private long nextSweep;

        /** Whether it may have a name that is still awaited. Read without the lock, since it is read for each request. */
        private volatile boolean any;

        private synchronized void add(String message, long now) {
            sweep(now);
            for (int at = 0; at + EndMessage.HASH_DIGITS <= message.length(); at += EndMessage.HASH_DIGITS) {
                String hash = message.substring(at, at + EndMessage.HASH_DIGITS);
                if (until.size() < MAX_NAMES || until.containsKey(hash)) {
                    until.put(hash, now + COUNTS_MILLIS);
                } else {
                    allUntil = now + COUNTS_MILLIS;
                }
            }
            any = !until.isEmpty();
        }

        private void sweep(long now) {
            if (now >= nextSweep) {
                until.values().removeIf(end -> end <= now);
                any = !until.isEmpty();
                nextSweep = now + COUNTS_MILLIS / 3;
            }
        }

        private synchronized boolean hasAny(long now) {
            sweep(now);
            return any;
        }

        private synchronized boolean has(String hash, long now) {
            Long end = until.get(hash);
            return end != null && end > now || allUntil > now;
        }
    }

    private final LongSupplier millis;
    private final Map<String, Names> queues = new ConcurrentHashMap<>();

    AwaitedEnds() {
        this(() -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /** @param millis a monotonic clock */
    AwaitedEnds(LongSupplier millis) {
        this.millis = millis;
    }

    /** Notes what somebody waits for. @param message hashes, one behind the other; null if one may have been missed */
    void heard(String queue, @Nullable String message) {
        if (message != null) {
            queues.computeIfAbsent(queue, q -> new Names()).add(message, millis.getAsLong());
        }
    }

    /** Returns whether anybody waits for a task of the queue. */
    boolean anyOf(String queue) {
        Names names = queues.get(queue);
        return names != null && names.any && names.hasAny(millis.getAsLong());
    }

    /** Returns whether somebody waits for a task with this hash of a name. */
    boolean has(String queue, String hash) {
        Names names = queues.get(queue);
        return names != null && names.has(hash, millis.getAsLong());
    }
}
