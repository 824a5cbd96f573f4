package dev.tandem.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs tasks that failed while nobody waited for their acceptance, since a program that ignores the result would lose them
 * in silence. One line for each queue in ten seconds. Thread-safe.
 */
final class FailedSubmissions {

    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger log = LoggerFactory.getLogger(FailedSubmissions.class);

    /** @param others how many failed since without a line of their own */
    private record Line(long at, long others) {}

    private final LongSupplier nanos;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    FailedSubmissions(LongSupplier nanos) {
        this.nanos = nanos;
    }

    void add(String queue, String id, String why) {
        Line before = begin(queue);
        if (before == null) {
            log.debug("Task {} of queue '{}' was not accepted: {}", id, queue, why);
            return;
        }
        log.warn(
                "Task {} of queue '{}' was not accepted: {}. Submit it again, and await each TaskRef, or ask its accepted(),"
                        + " to notice such failures{}",
                id,
                queue,
                why,
                before.others() == 0 ? "" : ". " + before.others() + " more failed since the last such line");
    }

    /** Returns the last line of a queue if it may have another one now, else null. */
    private @Nullable Line begin(String queue) {
        long now = nanos.getAsLong();
        Line[] before = new Line[1];
        lines.compute(queue, (name, last) -> {
            if (last == null || now - last.at() >= WINDOW_NANOS) {
                before[0] = last == null ? new Line(now, 0) : last;
                return new Line(now, 0);
            }
            return new Line(last.at(), last.others() + 1);
        });
        return before[0];
    }
}
