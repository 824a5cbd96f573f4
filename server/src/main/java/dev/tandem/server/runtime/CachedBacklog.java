package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.Backlog;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Asks the brokers for their backlog, at most once a second for each queue, and less often while they do not answer.
 */
final class CachedBacklog implements Backlog, AutoCloseable {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A remembered answer. @param until when to ask again, by {@link System#nanoTime} */
    private record Known(Map<String, Long> lags, long until) {}

    private final Map<String, QueueSettings> queues;
    private final KafkaBacklog kafka;
    private final RabbitBacklog rabbit;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    CachedBacklog(TandemSettings settings) {
        this.queues = settings.queues();
        this.kafka = new KafkaBacklog(settings.kafka());
        this.rabbit = new RabbitBacklog(settings.rabbit());
    }

    @Override
    public Map<String, Long> of(String queue) {
        Known last = known.get(queue);
        if (last == null || last.until() - System.nanoTime() < 0) {
            Map<String, Long> lags = ask(queue);
            last = new Known(lags, System.nanoTime() + (lags.isEmpty() ? UNANSWERED_NANOS : FRESH_NANOS));
            known.put(queue, last);
        }
        return last.lags();
    }

    @Override
    public Map<String, Long> ends(String queue) {
        QueueSettings settings = queues.get(queue);
        return settings == null || settings.effectiveSource() != SourceType.KAFKA
                ? Map.of()
                : kafka.ends(settings.effectiveTopic(queue));
    }

    @Override
    public Map<String, Long> settled(String queue) {
        QueueSettings settings = queues.get(queue);
        return settings == null || settings.effectiveSource() != SourceType.KAFKA
                ? Map.of()
                : kafka.settled(settings.effectiveTopic(queue), settings.effectiveGroup(queue));
    }

    private Map<String, Long> ask(String queue) {
        QueueSettings settings = queues.get(queue);
        if (settings == null) {
            return Map.of();
        }
        return switch (settings.effectiveSource()) {
            case KAFKA -> kafka.of(settings.effectiveTopic(queue), settings.effectiveGroup(queue));
            case RABBIT ->
                settings.ordered()
                        ? rabbit.ofSubQueues(settings.effectiveQueue(queue), settings.partitions())
                        : rabbit.of(settings.effectiveQueue(queue));
        };
    }

    @Override
    public void close() {
        kafka.close();
        rabbit.close();
    }
}
