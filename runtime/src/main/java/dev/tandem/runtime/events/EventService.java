package dev.tandem.runtime.events;

import dev.tandem.scheduler.EventFeed;
import dev.tandem.scheduler.EventFeed.Batch;
import dev.tandem.task.Partition;
import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The events of all queues of a process that have some. Each of these queues has a thread and a publisher. Thread-safe. */
public final class EventService implements AutoCloseable {

    private static final long CLOSE_SECONDS = 5;

    private record Part(EventRelay relay, EventPublisher publisher, ScheduledExecutorService thread) {}

    private final EventFeed feed;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /**
     * @param namespace what tells this installation apart from others
     * @param publishers of the queues that have events; closed with this
     */
    public EventService(
            EventFeed feed, String namespace, Map<String, EventPublisher> publishers, EventMetrics metrics) {
        this.feed = feed;
        publishers.forEach((queue, publisher) -> {
            ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread made = new Thread(task, "tandem-events-" + queue);
                made.setDaemon(true);
                return made;
            });
            EventRelay relay = new EventRelay(queue, namespace, publisher, metrics, new OnThread(feed, thread));
            parts.put(queue, new Part(relay, publisher, thread));
        });
    }

    /** Begins to publish. */
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

    /** Ends what is under way. Events that are left are published by the next owner. */
    @Override
    public void close() {
        parts.values().forEach(part -> part.thread().shutdown());
        for (Part part : parts.values()) {
            try {
                if (!part.thread().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    part.thread().shutdownNow();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                part.thread().shutdownNow();
            }
            part.publisher().close();
        }
    }

    private record OnThread(EventFeed feed, ScheduledExecutorService thread) implements EventRelay.Effects {

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
