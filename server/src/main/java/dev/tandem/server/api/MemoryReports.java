package dev.tandem.server.api;

import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.PartitionReport;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Reports of what the owners of partitions have in memory, for all who look at a queue: the owners are asked every five seconds at most.
 * One thread asks, and meanwhile others get the former answer. Keeps one answer for each queue of the settings. Thread-safe.
 */
final class MemoryReports {

    private static final long GOOD_NANOS = Duration.ofSeconds(5).toNanos();

    /** The answer about one queue. */
    private static final class Known {

        private Map<String, PartitionReport> reports = Map.of();
        private boolean asked;
        private boolean asking;
        private long askedAt;

        /** Returns whether the caller is the one who is to ask now. */
        synchronized boolean mayAsk(long now) {
            if (asking || asked && now - askedAt < GOOD_NANOS) {
                return false;
            }
            asking = true;
            asked = true;
            askedAt = now;
            return true;
        }

        synchronized void answered(Map<String, PartitionReport> now) {
            reports = now;
            asking = false;
        }

        synchronized Map<String, PartitionReport> reports() {
            return reports;
        }
    }

    private final Function<Views.Queue, Map<String, PartitionReport>> owners;
    private final LongSupplier nanos;
    private final Map<String, Known> queues = new ConcurrentHashMap<>();

    /** @param owners asks them @param nanos a clock, as {@link System#nanoTime()} */
    MemoryReports(Function<Views.Queue, Map<String, PartitionReport>> owners, LongSupplier nanos) {
        this.owners = owners;
        this.nanos = nanos;
    }

    /** Returns what is known, by partition. @param queue one of the settings, with its partitions */
    Map<String, PartitionReport> of(Views.Queue queue) {
        Known known = queues.computeIfAbsent(queue.name(), name -> new Known());
        if (known.mayAsk(nanos.getAsLong())) {
            Map<String, PartitionReport> now = Map.of();
            try {
                now = owners.apply(queue);
            } catch (UnavailableException e) {
                // Nothing is known. They are asked again later.
            } finally {
                known.answered(now);
            }
        }
        return known.reports();
    }
}
