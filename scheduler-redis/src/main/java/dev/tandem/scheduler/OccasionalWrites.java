package dev.tandem.scheduler;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Writes that are due once a minute for each name, and again at the next call if one failed. Nobody waits for them. Thread-safe. */
final class OccasionalWrites {

    private static final long EVERY_MILLIS = Duration.ofMinutes(1).toMillis();

    /** The time of the last write of each name, by the monotonic clock in milliseconds. */
    private final Map<String, Long> written = new ConcurrentHashMap<>();

    /** Writes, unless that was done within the last minute. */
    void write(String name, Supplier<? extends CompletableFuture<?>> write) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        Long last = written.get(name);
        if (last != null && now - last < EVERY_MILLIS) {
            return;
        }
        written.put(name, now);
        var unused = write.get().whenComplete((done, failure) -> {
            if (failure != null) {
                written.remove(name);
            }
        });
    }
}
