package dev.tandem.client;

import dev.tandem.api.TaskRef;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs and counts the tasks that failed after the commits of their transactions. Their callers have returned, so nobody else
 * may notice. Thread-safe.
 */
final class LostSubmissions {

    /** The most lines in each {@link #WINDOW_NANOS}: a broker that is away may take thousands of tasks a second. */
    static final int MAX_LINES = 10;

    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger log = LoggerFactory.getLogger(LostSubmissions.class);

    private final LongSupplier nanos;
    private final LongAdder count = new LongAdder();
    private long windowAt;
    private int lines;

    LostSubmissions(LongSupplier nanos) {
        this.nanos = nanos;
        windowAt = nanos.getAsLong();
    }

    void add(TaskRef<?> task, String why) {
        count.increment();
        if (mayLog()) {
            log.error(
                    "Task {} of queue '{}' may be lost. It failed after the commit of its transaction: {}. This is"
                            + " loss number {} of this client",
                    task.id(),
                    task.queue(),
                    why,
                    count.sum());
        } else {
            log.debug("Task {} of queue '{}' may be lost: {}", task.id(), task.queue(), why);
        }
    }

    private synchronized boolean mayLog() {
        long now = nanos.getAsLong();
        if (now - windowAt >= WINDOW_NANOS) {
            windowAt = now;
            lines = 0;
        }
        return ++lines <= MAX_LINES;
    }

    long count() {
        return count.sum();
    }
}
