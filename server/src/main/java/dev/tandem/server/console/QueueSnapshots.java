package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.QueueReader;
import dev.tandem.server.api.Views;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.UnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads all queues and executors for the pages that show them: once a second at most for all who follow such pages. Thread-safe:
 * one thread reads, and the others wait for it.
 */
final class QueueSnapshots {

    private static final long GOOD_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * The queues and executors at one moment.
     *
     * @param queues with their partitions
     * @param executors the live ones; null if Redis does not answer
     * @param why what Redis answered instead; null if it did answer
     */
    record Snapshot(
            List<Views.Queue> queues,
            @Nullable List<ExecutorInfo> executors,
            @Nullable UnavailableException why) {

        /** @throws UnavailableException if Redis does not answer */
        List<ExecutorInfo> knownExecutors() {
            if (executors == null) {
                throw why == null ? new UnavailableException("Redis did not answer") : why;
            }
            return executors;
        }

        /** Returns the queues that somebody may see. */
        List<Views.Queue> queuesOf(@Nullable Caller caller) {
            return queues.stream()
                    .filter(queue -> caller != null && caller.may(Permission.VIEW, queue.name()))
                    .toList();
        }
    }

    private final QueueReader queues;
    private final Inspection inspection;
    private final LongSupplier nanos;
    private @Nullable Snapshot latest;
    private long readAt;

    /** @param nanos a clock, as {@link System#nanoTime()} */
    QueueSnapshots(QueueReader queues, Inspection inspection, LongSupplier nanos) {
        this.queues = queues;
        this.inspection = inspection;
        this.nanos = nanos;
    }

    /** Returns what reads anew for the one who opens a page, and then shares with all others who look. */
    Supplier<Snapshot> following() {
        AtomicBoolean follows = new AtomicBoolean();
        return () -> read(follows.getAndSet(true));
    }

    private synchronized Snapshot read(boolean mayBeShared) {
        Snapshot known = latest;
        if (mayBeShared && known != null && nanos.getAsLong() - readAt < GOOD_NANOS) {
            return known;
        }
        Snapshot now = readNow();
        latest = now;
        readAt = nanos.getAsLong();
        return now;
    }

    private Snapshot readNow() {
        Overview overview = queues.overview();
        List<Views.Queue> all = queues.all(overview);
        try {
            return new Snapshot(all, inspection.executors(overview), null);
        } catch (UnavailableException e) {
            return new Snapshot(all, null, e);
        }
    }
}
