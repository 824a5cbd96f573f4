package dev.tandem.runtime.queues;

import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.kafka.KafkaEventPublisher;
import dev.tandem.rabbit.RabbitEventPublisher;
import dev.tandem.rabbit.RabbitEventQueue;
import dev.tandem.runtime.events.EventMetrics;
import dev.tandem.runtime.events.EventService;
import dev.tandem.runtime.settings.EventSettings;
import dev.tandem.runtime.settings.EventSettings.WhenFull;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.event.EventPublisher;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes what records and publishes the events of the queues that have some. */
final class EventPublishers {

    private EventPublishers() {}

    /** Returns what the store needs to know of the queues that have events. */
    static Map<String, EventPolicy> policies(TandemSettings settings) {
        Map<String, EventPolicy> policies = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            EventSettings events = queue.events();
            if (events.enabled()) {
                policies.put(
                        name,
                        new EventPolicy(
                                Set.copyOf(events.kinds()),
                                events.maxBytes().toBytes(),
                                events.whenFull() == WhenFull.WAIT));
            }
        });
        return policies;
    }

    /**
     * Returns what publishes events. Nothing connects before the first of them.
     *
     * @param keeper the queue of RabbitMQ that keeps them for the archive; null if this process has none
     */
    static EventService service(
            TandemSettings settings, RedisStore store, ExecutorMetrics metrics, @Nullable RabbitEventQueue keeper) {
        Map<String, EventPublisher> publishers = new LinkedHashMap<>();
        Map<String, String> defaultTypes = new HashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.events().enabled()) {
                publishers.put(name, publisher(settings, name, queue, keeper));
                if (queue.handler() != null) {
                    defaultTypes.put(name, queue.handler());
                }
            }
        });
        return new EventService(
                store.events(),
                settings.redis().namespace(),
                publishers,
                defaultTypes,
                metrics instanceof EventMetrics its ? its : EventMetrics.NONE);
    }

    private static EventPublisher publisher(
            TandemSettings settings, String name, QueueSettings queue, @Nullable RabbitEventQueue keeper) {
        EventSettings events = queue.events();
        return switch (queue.effectiveSource()) {
            case KAFKA ->
                new KafkaEventPublisher(
                        BrokerSettings.kafka(settings, name, queue).withTopic(events.effectiveTopic(name)));
            case RABBIT ->
                new RabbitEventPublisher(
                        BrokerSettings.rabbit(settings, name, queue), events.effectiveExchange(), keeper);
        };
    }
}
