package dev.tandem.runtime.queues;

import dev.tandem.kafka.KafkaSource;
import dev.tandem.kafka.KafkaStatus;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.rabbit.RabbitStatus;
import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.task.MemoryBudget;
import java.util.function.Supplier;

/** Creates the source of each queue. */
final class QueueSourceFactory {

    private final TandemSettings settings;
    private final MemoryBudget memory;
    private final String executor;

    /** @param executor the id of this process's executor */
    QueueSourceFactory(TandemSettings settings, MemoryBudget memory, String executor) {
        this.settings = settings;
        this.memory = memory;
        this.executor = executor;
    }

    QueueSource of(String name, QueueSettings queue) {
        return switch (queue.effectiveSource()) {
            case KAFKA -> kafka(name, queue);
            case RABBIT -> rabbit(name, queue);
        };
    }

    private QueueSource kafka(String name, QueueSettings queue) {
        KafkaSource source =
                new KafkaSource(BrokerSettings.kafka(settings, name, queue).withMemberId(executor), memory);
        Supplier<Reachability> reachability = () -> {
            KafkaStatus status = source.status();
            return new Reachability(status.connected(), status.detail());
        };
        return new QueueSource(
                SourceType.KAFKA, source, reachability, () -> source.status().misplaced(), () -> null);
    }

    private QueueSource rabbit(String name, QueueSettings queue) {
        RabbitSource source = new RabbitSource(BrokerSettings.rabbit(settings, name, queue), memory);
        Supplier<Reachability> reachability = () -> {
            RabbitStatus status = source.status();
            return new Reachability(status.connected(), status.detail());
        };
        // The exchange chooses the partition for all publishers.
        return new QueueSource(
                SourceType.RABBIT,
                source,
                reachability,
                () -> 0,
                () -> source.status().forgotten());
    }
}
