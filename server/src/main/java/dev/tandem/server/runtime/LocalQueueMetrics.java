package dev.tandem.server.runtime;

import dev.tandem.executor.QueueStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Metrics of the queues in this process, read at each scrape. */
public final class LocalQueueMetrics implements MeterBinder {

    private final Platform platform;

    public LocalQueueMetrics(Platform platform) {
        this.platform = platform;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (QueueStatus queue : platform.status()) {
            String name = queue.queue();
            gauge(registry, name, "tandem.tasks.running", "Handlers running now", QueueStatus::running);
            gauge(registry, name, "tandem.partitions", "Partitions that this process owns", QueueStatus::partitions);
            gauge(
                    registry,
                    name,
                    "tandem.partitions.without.store",
                    "Owned partitions whose Redis can't be reached",
                    QueueStatus::partitionsWithoutStore);
            gauge(
                    registry,
                    name,
                    "tandem.partitions.without.room",
                    "Owned partitions whose fresh tasks wait because Redis has no room",
                    QueueStatus::partitionsWithoutRoom);
            gauge(
                    registry,
                    name,
                    "tandem.queue.slowed",
                    "1 if starts are slowed down because nearly all attempts fail",
                    status -> status.slowed() ? 1 : 0);
            gauge(registry, name, "tandem.queue.healthy", "1 if tasks can run", status -> status.healthy() ? 1 : 0);
            bindMemory(registry, name);
            gauge(
                    registry,
                    name,
                    "tandem.overflow.tasks",
                    "Tasks that wait in the topic, since Redis parks no more of their keys",
                    QueueStatus::overflowTasks);
            gauge(registry, name, "tandem.overflow.keys", "The keys of those tasks", QueueStatus::overflowKeys);
            gauge(
                    registry,
                    name,
                    "tandem.overflow.age.seconds",
                    "Age of the oldest of those tasks; compare it with the topic's retention",
                    status -> status.overflowAgeMillis() / 1_000.0);
            bindWaits(registry, name);
            FunctionCounter.builder("tandem.records.misplaced", platform, it -> it.misplaced(name))
                    .description("Kafka records outside of the partition that Kafka's producer chooses for their key")
                    .tag("queue", name)
                    .register(registry);
            Gauge.builder("tandem.queue.reached", platform, it -> it.reach(name).reached() ? 1 : 0)
                    .description("1 if the queue's broker can be reached")
                    .tag("queue", name)
                    .register(registry);
        }
    }

    private void bindMemory(MeterRegistry registry, String name) {
        gauge(
                registry,
                name,
                "tandem.partitions.full",
                "Owned partitions whose memory is full, so that nothing is delivered",
                QueueStatus::fullPartitions);
        gauge(
                registry,
                name,
                "tandem.memory.bytes",
                "What the delivered tasks take in memory",
                QueueStatus::memoryBytes);
    }

    /** Binds what says that tasks wait for others. */
    private void bindWaits(MeterRegistry registry, String name) {
        gauge(
                registry,
                name,
                "tandem.moved.keys.waiting",
                "Keys in another partition since the topic got more, whose tasks wait for those in the earlier one",
                QueueStatus::movedKeysWaiting);
        gauge(
                registry,
                name,
                "tandem.dependents.waiting",
                "Tasks that wait for others, as this process last saw them",
                QueueStatus::dependentsWaiting);
        gauge(
                registry,
                name,
                "tandem.dependents.oldest.seconds",
                "For how long the oldest of those tasks has waited",
                status -> status.dependentsOldestMillis() / 1_000.0);
    }

    private void gauge(
            MeterRegistry registry,
            String queue,
            String name,
            String description,
            ToDoubleFunction<QueueStatus> value) {
        Gauge.builder(name, platform, it -> valueOf(it, queue, value))
                .description(description)
                .tag("queue", queue)
                .register(registry);
    }

    private static double valueOf(Platform platform, String queue, ToDoubleFunction<QueueStatus> value) {
        return platform.status().stream()
                .filter(status -> status.queue().equals(queue))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }
}
