package dev.tandem.server.pull;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Knows which executors live. Workers name executors in their leases and might invent some, so nothing is sent to one that is not
 * known. Remembers those that live for a moment, so that few ends of tasks need a look into Redis; never any others. Thread-safe.
 */
final class KnownExecutors {

    static final long MILLIS = 2_000;

    private final Function<String, CompletableFuture<Boolean>> isLive;
    private final LongSupplier millis;
    private final Map<String, Long> seen = new ConcurrentHashMap<>();

    /** @param millis a monotonic clock */
    KnownExecutors(Function<String, CompletableFuture<Boolean>> isLive, LongSupplier millis) {
        this.isLive = isLive;
        this.millis = millis;
    }

    /** Hears of an executor. */
    void seen(String executor) {
        long now = millis.getAsLong();
        seen.values().removeIf(at -> now - at > MILLIS);
        seen.put(executor, now);
    }

    CompletableFuture<Boolean> knows(String executor) {
        Long at = seen.get(executor);
        if (at != null && millis.getAsLong() - at <= MILLIS) {
            return CompletableFuture.completedFuture(true);
        }
        return isLive.apply(executor).thenApply(live -> {
            if (live) {
                seen(executor);
            }
            return live;
        });
    }
}
