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
import java.util.concurrent.atomic.AtomicInteger;
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

    /** The most bytes of events, in the store's form, that are published at once. */
    static final int BATCH_BYTES = 256 << 10;

    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /** Takes events from the store and runs steps, for the relay. */
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
    /** The type of tasks that name none; null if they have none. */
    private final @Nullable String defaultType;

    private final EventPublisher publisher;
    private final EventMetrics metrics;
    private final Effects effects;
    private final Map<Partition, Progress> partitions = new HashMap<>();
    /** Partitions that were heard of and not looked at yet, so that a burst of signals costs one step. */
    private final Set<Partition> heard = ConcurrentHashMap.newKeySet();

    private boolean failing;
    private boolean unmeasured;
    private volatile boolean stopping;
    /** The number of partitions that have something under way. */
    private final AtomicInteger busy = new AtomicInteger();

    EventRelay(
            String queue,
            String namespace,
            @Nullable String defaultType,
            EventPublisher publisher,
            EventMetrics metrics,
            Effects effects) {
        this.queue = queue;
        this.namespace = namespace;
        this.defaultType = defaultType;
        this.publisher = publisher;
        this.metrics = metrics;
        this.effects = effects;
    }

    /** Hears that a partition may have events to publish. */
    void heard(Partition partition) {
        if (heard.add(partition)) {
            effects.run(() -> look(partition));
        }
    }

    /**
     * Hears that this process gives its partitions up. From now on it publishes whatever it hears of, whoever the owner is, because its
     * last outcomes are recorded just before. Their events may come twice.
     */
    void stopping() {
        stopping = true;
    }

    /** Returns whether nothing is under way and nothing has been heard. Any thread may ask. */
    boolean isIdle() {
        return heard.isEmpty() && busy.get() == 0; // In this order: see look.
    }

    private boolean mayPublish(Partition partition) {
        return stopping || effects.isOwner(partition);
    }

    private void look(Partition partition) {
        Progress progress = partitions.computeIfAbsent(partition, p -> new Progress());
        boolean begins = !progress.busy;
        if (begins) {
            begin(progress); // Before the removal, so that the relay never looks idle in between.
        }
        heard.remove(partition);
        if (begins) {
            step(partition, progress, () -> take(partition, progress, null));
        } else {
            progress.heardAgain = true;
        }
    }

    /** Runs a step of a partition that has something under way. Whatever goes wrong, the partition is tried again. */
    private void step(Partition partition, Progress progress, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            failed("events of partition " + partition.name() + " wait in Redis after an unexpected error", e);
            tryAgain(partition, progress);
        }
    }

    private void begin(Progress progress) {
        progress.busy = true;
        busy.incrementAndGet();
    }

    private void end(Progress progress) {
        progress.busy = false;
        busy.decrementAndGet();
    }

    private void take(Partition partition, Progress progress, @Nullable Batch confirmed) {
        if (confirmed == null && !mayPublish(partition)) {
            rest(partition, progress);
            return;
        }
        progress.heardAgain = false;
        effects.take(partition, confirmed)
                .whenComplete((batch, failure) ->
                        effects.run(() -> step(partition, progress, () -> taken(partition, progress, batch, failure))));
    }

    private void taken(Partition partition, Progress progress, @Nullable Batch batch, @Nullable Throwable failure) {
        if (batch == null) {
            failed("events of partition " + partition.name() + " cannot be read from Redis", failure);
            tryAgain(partition, progress);
            return;
        }
        if (batch.dropped() > 0) {
            measure(() -> metrics.dropped(queue, batch.dropped()));
            log.warn(
                    "Queue {}: {} events of partition {} were dropped before they could be published, because more"
                            + " waited than events.max-bytes allows, or because Redis had no room for tasks",
                    queue,
                    batch.dropped(),
                    partition.name());
        }
        measure(() -> metrics.waiting(queue, partition.name(), batch.bytesLeft()));
        if (batch.events().isEmpty()) {
            if (progress.heardAgain) {
                take(partition, progress, null);
            } else {
                end(progress);
            }
        } else if (!mayPublish(partition)) {
            rest(partition, progress);
        } else {
            publish(partition, progress, batch);
        }
    }

    private void publish(Partition partition, Progress progress, Batch batch) {
        List<EventMessage> messages;
        try {
            messages = batch.events().stream()
                    .map(event -> EventMessage.of(namespace, event, defaultType))
                    .toList();
            publisher.publish(messages);
        } catch (Throwable e) {
            failed("events cannot be published, and wait in Redis", e);
            tryAgain(partition, progress);
            return;
        }
        if (failing) {
            log.info("Queue {}: events are published again", queue);
            failing = false;
        }
        progress.pause = FIRST_PAUSE;
        int count = messages.size();
        measure(() -> metrics.published(queue, count));
        take(partition, progress, batch);
    }

    /** Runs a measurement. A failure of the metrics neither holds events back nor repeats them. */
    private void measure(Runnable measurement) {
        try {
            measurement.run();
        } catch (RuntimeException e) {
            if (!unmeasured) {
                log.warn("Queue {}: events are not measured: {}", queue, e.toString());
            }
            unmeasured = true;
        }
    }

    private void failed(String what, @Nullable Throwable problem) {
        if (!failing) {
            String why = problem instanceof PublishException ? problem.getMessage() : String.valueOf(problem);
            log.warn("Queue {}: {}: {}", queue, what, why);
        }
        failing = true;
    }

    private void tryAgain(Partition partition, Progress progress) {
        if (stopping) {
            end(progress);
            return;
        }
        Duration pause = progress.pause;
        progress.pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        effects.runAfter(pause, () -> step(partition, progress, () -> take(partition, progress, null)));
    }

    /** Another process is the owner now, and publishes what is left. */
    private void rest(Partition partition, Progress progress) {
        end(progress);
        partitions.remove(partition);
        measure(() -> metrics.waiting(queue, partition.name(), 0));
    }
}
