package dev.tandem.runtime.queues;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitPublisher;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Publishes each task to its queue's broker. Connects when the first task is published. */
public final class RoutingPublisher implements Publisher {

    private final Map<String, QueueSettings> queues;
    private final Map<SourceType, Publisher> publishers = new EnumMap<>(SourceType.class);

    public RoutingPublisher(TandemSettings settings) {
        queues = settings.queues();
        List<KafkaSettings> kafka = new ArrayList<>();
        List<RabbitSettings> rabbit = new ArrayList<>();
        queues.forEach((name, queue) -> {
            switch (queue.effectiveSource()) {
                case KAFKA -> kafka.add(BrokerSettings.kafka(settings, name, queue));
                case RABBIT -> rabbit.add(BrokerSettings.rabbit(settings, name, queue));
            }
        });
        if (!kafka.isEmpty()) {
            publishers.put(SourceType.KAFKA, new KafkaPublisher(kafka));
        }
        if (!rabbit.isEmpty()) {
            publishers.put(SourceType.RABBIT, new RabbitPublisher(rabbit));
        }
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        try {
            return publisher(task).publish(task);
        } catch (PublishException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Publication prepare(Task task) {
        return publisher(task).prepare(task);
    }

    private Publisher publisher(Task task) {
        QueueSettings queue = queues.get(task.queue());
        Publisher publisher = queue == null ? null : publishers.get(queue.effectiveSource());
        if (publisher == null) {
            throw new PublishException("The queue '" + task.queue() + "' is not in this server's settings");
        }
        return publisher;
    }

    @Override
    public void close() {
        publishers.values().forEach(Publisher::close);
    }
}
