package dev.tandem.runtime.queues;

import dev.tandem.runtime.events.EventMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of events. The registry knows those that it has made already. */
final class EventMeters implements EventMetrics {

    private final MeterRegistry registry;
    /** By queue and partition: the bytes of the events that wait. */
    private final Map<String, Map<String, Long>> waiting = new ConcurrentHashMap<>();

    EventMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void published(String queue, int events) {
        Counter.builder("tandem.events.published")
                .description("Events that the broker has confirmed")
                .tags("queue", queue)
                .register(registry)
                .increment(events);
    }

    @Override
    public void dropped(String queue, long events) {
        Counter.builder("tandem.events.dropped")
                .description("Events that were dropped before they could be published")
                .tags("queue", queue)
                .register(registry)
                .increment(events);
    }

    @Override
    public void waiting(String queue, String partition, long bytes) {
        Map<String, Long> ofQueue = waiting.computeIfAbsent(queue, this::gauge);
        if (bytes == 0) {
            ofQueue.remove(partition);
        } else {
            ofQueue.put(partition, bytes);
        }
    }

    private Map<String, Long> gauge(String queue) {
        Map<String, Long> ofQueue = new ConcurrentHashMap<>();
        Gauge.builder(
                        "tandem.events.waiting.bytes",
                        ofQueue,
                        all -> all.values().stream().mapToLong(Long::longValue).sum())
                .description("Events of this process's partitions that wait in Redis until they are published")
                .tags("queue", queue)
                .register(registry);
        return ofQueue;
    }
}
