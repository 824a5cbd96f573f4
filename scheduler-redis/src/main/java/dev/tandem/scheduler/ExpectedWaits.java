package dev.tandem.scheduler;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Remembers of which waits the buckets have been told lately: for how long tasks wait for those of a queue. Each process tells
 * them of a longer one, and again every hour, or when Redis may have forgotten it. Thread-safe.
 */
final class ExpectedWaits {

    private static final long AGAIN_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MAX_QUEUES = 10_000;

    private record Told(long millis, long at) {}

    private final LongSupplier nanos;
    /** The longest waits of which they were told, by queue. Guarded by itself. */
    private final Map<String, Told> told = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Told> eldest) {
            return size() > MAX_QUEUES;
        }
    };

    /** @param nanos a clock such as {@link System#nanoTime} */
    ExpectedWaits(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns whether the buckets have to be told of a wait, and takes it that they are. */
    boolean isNews(String queue, long millis) {
        long now = nanos.getAsLong();
        synchronized (told) {
            Told before = told.get(queue);
            boolean isNews = before == null || millis > before.millis() || now - before.at() > AGAIN_NANOS;
            if (isNews) {
                told.put(queue, new Told(millis, now));
            }
            return isNews;
        }
    }

    /** Takes it that the buckets know of no wait, so that the next one of each queue is news. */
    void forgetAll() {
        synchronized (told) {
            told.clear();
        }
    }

    /** Takes it that the buckets were not told, so that the next wait is news. */
    void forget(String queue) {
        synchronized (told) {
            told.remove(queue);
        }
    }
}
