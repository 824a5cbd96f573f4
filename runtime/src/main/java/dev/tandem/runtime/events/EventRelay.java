package dev.tandem.runtime.events;

import dev.tandem.scheduler.EventFeed.Batch;
import dev.tandem.task.Partition;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of one queue, partition by partition: takes the oldest from the store, waits until the broker has confirmed
 * them, removes them with the request for the next ones. So they go in their order, and at least once. A partition has one request
 * or one batch under way; the broker has one batch of the queue at a time.
 *
 * <p>{@link #heard} may be called by any thread. Everything else runs on the thread of {@link Effects#run}.
 */
final class EventRelay {

    private static final Logger log = LoggerFactory.getLogger(EventRelay.class);

    /** Bytes of events in the store's form that are published at once. */
    static final int BATCH_BYTES = 256 << 10;

    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /** What the relay works on. */
    interface Effects {

        /** Returns whether this process may publish the events of a partition. */
        boolean isOwner(Partition partition);

        /** Takes events as {@link dev.tandem.scheduler.EventFeed#take} does. */
        CompletionStage<Batch> take(Partition partition, @Nullable Batch confirmed);

        /** Runs a step soon, on one thread; not at all once the relay is closed. */
        void run(Runnable step);

        /** Runs a step later, on the same thread. */
        void runAfter(Duration pause, Runnable step);
    }

    private static final class Progress {
        boolean busy;
        boolean heardAgain;
        Duration pause = FIRST_PAUSE;
    }

    private final String queue;
    private final String namespace;
    private final EventPublisher publisher;
    private final EventMetrics metrics;
    private final Effects effects;
    private final Map<Partition, Progress> partitions = new HashMap<>();
    /** Partitions that were heard of and not looked at yet, so that a burst of signals costs one step. */
    private final Set<Partition> heard = ConcurrentHashMap.newKeySet();

    private boolean failing;

    EventRelay(String queue, String namespace, EventPublisher publisher, EventMetrics metrics, Effects effects) {
        this.queue = queue;
        this.namespace = namespace;
        this.publisher = publisher;
        this.metrics = metrics;
        this.effects = effects;
    }

    /** A partition may have events to publish. */
    void heard(Partition partition) {
        if (heard.add(partition)) {
            effects.run(() -> look(partition));
        }
    }

    private void look(Partition partition) {
        heard.remove(partition);
        Progress progress = partitions.computeIfAbsent(partition, p -> new Progress());
        if (progress.busy) {
            progress.heardAgain = true;
        } else {
            progress.busy = true;
            take(partition, progress, null);
        }
    }

    private void take(Partition partition, Progress progress, @Nullable Batch confirmed) {
        if (confirmed == null && !effects.isOwner(partition)) {
            rest(partition);
            return;
        }
        progress.heardAgain = false;
        effects.take(partition, confirmed)
                .whenComplete((batch, failure) -> effects.run(() -> taken(partition, progress, batch, failure)));
    }

    private void taken(Partition partition, Progress progress, @Nullable Batch batch, @Nullable Throwable failure) {
        if (batch == null) {
            log.debug("Queue {}: the events of partition {} cannot be read", queue, partition.name(), failure);
            tryAgain(partition, progress);
            return;
        }
        if (batch.dropped() > 0) {
            metrics.dropped(queue, batch.dropped());
            log.warn(
                    "Queue {}: {} events of partition {} were dropped before they could be published, because more"
                            + " waited than events.max-bytes allows",
                    queue,
                    batch.dropped(),
                    partition.name());
        }
        metrics.waiting(queue, partition.name(), batch.bytesLeft());
        if (batch.events().isEmpty()) {
            progress.busy = false;
            if (progress.heardAgain) {
                look(partition);
            }
        } else if (!effects.isOwner(partition)) {
            rest(partition);
        } else {
            publish(partition, progress, batch);
        }
    }

    private void publish(Partition partition, Progress progress, Batch batch) {
        List<EventMessage> messages = batch.events().stream()
                .map(event -> EventMessage.of(namespace, event))
                .toList();
        try {
            publisher.publish(messages);
        } catch (PublishException e) {
            if (!failing) {
                log.warn("Queue {}: events cannot be published, and wait in Redis: {}", queue, e.getMessage());
            }
            failing = true;
            tryAgain(partition, progress);
            return;
        }
        if (failing) {
            log.info("Queue {}: events are published again", queue);
            failing = false;
        }
        progress.pause = FIRST_PAUSE;
        metrics.published(queue, messages.size());
        take(partition, progress, batch);
    }

    private void tryAgain(Partition partition, Progress progress) {
        Duration pause = progress.pause;
        progress.pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        effects.runAfter(pause, () -> take(partition, progress, null));
    }

    /** Another process is the owner now, and publishes what is left. */
    private void rest(Partition partition) {
        partitions.remove(partition);
        metrics.waiting(queue, partition.name(), 0);
    }
}
