package dev.tandem.server.runtime;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.server.settings.QueueSettings;
import dev.tandem.server.settings.TandemSettings;

/** A queue's settings in the words of its broker's module. */
final class BrokerSettings {

    private BrokerSettings() {}

    static KafkaSettings kafka(TandemSettings settings, String name, QueueSettings queue) {
        return KafkaSettings.of(settings.kafka().bootstrapServers(), name)
                .withTopic(queue.effectiveTopic(name))
                .withGroupId(queue.effectiveGroup(name))
                .withPartitions(queue.partitions())
                .withMaxPayload((int) settings.maxPayload().toBytes())
                .withProperties(settings.kafka().properties());
    }
}
