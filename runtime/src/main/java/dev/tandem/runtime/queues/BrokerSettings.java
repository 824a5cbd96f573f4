package dev.tandem.runtime.queues;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.KeySource;
import dev.tandem.runtime.settings.TandemSettings;

/** Translates a queue's settings to those of its broker's module. */
public final class BrokerSettings {

    private BrokerSettings() {}

    /** Returns what Kafka's module needs to know of a queue, to run its tasks and to submit some. */
    public static KafkaSettings kafka(TandemSettings settings, String name, QueueSettings queue) {
        return KafkaSettings.of(settings.kafka().bootstrapServers(), name)
                .withTopic(queue.effectiveTopic(name))
                .withGroupId(queue.effectiveGroup(name))
                .withPartitions(queue.partitions())
                .withMaxPayload((int) settings.maxPayload().toBytes())
                .withProperties(settings.kafka().properties())
                .withOrdered(queue.ordered())
                .withGrowthWindow(queue.growthWindow());
    }

    /** Returns what RabbitMQ's module needs to know of a queue, to run its tasks and to submit some. */
    public static RabbitSettings rabbit(TandemSettings settings, String name, QueueSettings queue) {
        return new RabbitSettings(
                settings.rabbit().uri(),
                name,
                queue.effectiveExchange(),
                queue.effectiveRoutingKey(name),
                queue.effectiveQueue(name),
                queue.ordered(),
                queue.effectiveKey() == KeySource.ROUTING_KEY
                        ? RabbitSettings.KeySource.ROUTING_KEY
                        : RabbitSettings.KeySource.HEADER,
                queue.partitions(),
                queue.effectivePrefetch(),
                queue.maxPriority() == null ? 0 : queue.maxPriority(),
                (int) settings.maxPayload().toBytes(),
                settings.rabbit().consumerTimeout());
    }
}
