package dev.tandem.runtime.events;

import dev.tandem.scheduler.EventFeed;
import dev.tandem.scheduler.EventFeed.Batch;
import dev.tandem.task.Partition;
import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The events of all queues of a process that have some. Each of these queues has a thread and a publisher. Thread-safe. */
public final class EventService implements AutoCloseable {

    private static final Duration END_LIMIT = Duration.ofSeconds(3);
    /** The time that publishers have to close: longer than each waits for its broker. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(4);

    private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long LOOK_MILLIS = 5;

    private record Part(EventRelay relay, EventPublisher publisher, ScheduledThreadPoolExecutor thread) {}

    private final EventFeed feed;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /**
     * @param namespace what tells this installation apart from others
     * @param publishers of the queues that have events; closed with this
     * @param defaultTypes the type of tasks that name none, for queues that have one
     */
    public EventService(
            EventFeed feed,
            String namespace,
            Map<String, EventPublisher> publishers,
            Map<String, String> defaultTypes,
            EventMetrics metrics) {
        this.feed = feed;
        publishers.forEach((queue, publisher) -> {
            ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
                Thread made = new Thread(task, "tandem-events-" + queue);
                made.setDaemon(true);
                return made;
            });
            thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            EventRelay relay = new EventRelay(
                    queue, namespace, defaultTypes.get(queue), publisher, metrics, new OnThread(feed, thread));
            parts.put(queue, new Part(relay, publisher, thread));
        });
    }

    /** Begins to publish events. */
    public void start() {
        if (!parts.isEmpty()) {
            feed.listen(partition -> {
                Part part = parts.get(partition.queue());
                if (part != null) {
                    part.relay().heard(partition);
                }
            });
        }
    }

    /** Hears that the process is about to give its partitions up. */
    public void stopping() {
        parts.values().forEach(part -> part.relay().stopping());
    }

    /** Publishes the last events, for some seconds at most. Those that are left are published by the next owner. */
    @Override
    public void close() {
        awaitIdle();
        EventShutdown.end(parts.values().stream().map(Part::thread).toList(), END_LIMIT);
        EventShutdown.close(parts.values().stream().map(Part::publisher).toList(), CLOSE_LIMIT);
    }

    private void awaitIdle() {
        long deadline = System.nanoTime() + LAST_NANOS;
        try {
            while (!parts.values().stream().allMatch(part -> part.relay().isIdle()) && System.nanoTime() < deadline) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record OnThread(EventFeed feed, ScheduledThreadPoolExecutor thread) implements EventRelay.Effects {

        @Override
        public boolean isOwner(Partition partition) {
            return feed.isOwner(partition);
        }

        @Override
        public CompletionStage<Batch> take(Partition partition, @Nullable Batch confirmed) {
            return feed.take(partition, confirmed, EventRelay.BATCH_BYTES);
        }

        @Override
        public void run(Runnable step) {
            try {
                thread.execute(step);
            } catch (RejectedExecutionException e) {
                // The service is closed.
            }
        }

        @Override
        public void runAfter(Duration pause, Runnable step) {
            try {
                thread.schedule(step, pause.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                // The service is closed.
            }
        }
    }
}
