package dev.tandem.server.pull;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Knows which executors live. Workers name executors in their leases and might invent some, each of which would get a mailbox in
 * Redis. But one that drains is not among those that live. So a few strangers are asked at a time, of each caller too: what they do not take is
 * retracted after their silence. Remembers those that live for a moment, so that few ends of tasks need a look into Redis; never any
 * others. Thread-safe.
 */
final class KnownExecutors {

    static final long MILLIS = 2_000;

    /** How many requests of a caller to executors that nobody has heard of lately are under way at a time. */
    static final int MOST_STRANGERS = 10;

    /** How many are of all callers. */
    static final int MOST_OF_ALL = 100;

    private final Map<String, Integer> strangers = new HashMap<>();
    private int ofAll;
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

    /**
     * Asks an executor.
     *
     * @param caller for whom
     * @param request sends what it is asked
     * @param refused returns the answer if it is not asked, from the reason
     */
    <T> CompletableFuture<T> ask(
            String caller, String executor, Supplier<CompletableFuture<T>> request, Function<String, T> refused) {
        return knows(executor)
                .handle((live, failure) -> {
                    if (failure != null) {
                        return CompletableFuture.completedFuture(
                                refused.apply("Redis does not say whether its executor lives"));
                    } else if (live) {
                        return request.get();
                    } else if (!begin(caller)) {
                        return CompletableFuture.completedFuture(
                                refused.apply("too many executors are asked of which nobody has heard lately"));
                    }
                    return request.get().whenComplete((answer, unanswered) -> end(caller));
                })
                .thenCompose(answer -> answer);
    }

    private synchronized boolean begin(String caller) {
        int before = strangers.getOrDefault(caller, 0);
        if (before >= MOST_STRANGERS || ofAll >= MOST_OF_ALL) {
            return false;
        }
        strangers.put(caller, before + 1);
        ofAll++;
        return true;
    }

    private synchronized void end(String caller) {
        ofAll--;
        strangers.computeIfPresent(caller, (each, count) -> count == 1 ? null : count - 1);
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
