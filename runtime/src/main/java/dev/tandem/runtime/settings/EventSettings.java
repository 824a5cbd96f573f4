package dev.tandem.runtime.settings;

import dev.tandem.task.event.EventKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The events of a queue, under {@code tandem.queues.<name>.events.}.
 *
 * @param enabled whether they are recorded and published
 * @param kinds which of them
 * @param topic Kafka's topic for them; default: {@code tandem-events.<name>}
 * @param exchange RabbitMQ's exchange for them; default: tandem-events
 * @param maxBytes how many bytes of a partition's events may wait until they are published
 * @param whenFull what happens when more would wait
 */
public record EventSettings(
        @DefaultValue("false") boolean enabled,

        @DefaultValue({"succeeded", "dead", "expired", "cancelled"})
        List<EventKind> kinds,

        @Nullable String topic,
        @Nullable String exchange,
        @DefaultValue("8MB") DataSize maxBytes,
        @DefaultValue("drop") WhenFull whenFull) {

    /** What happens when too many events wait. */
    public enum WhenFull {
        /** The oldest are dropped. */
        DROP,
        /** No fresh tasks start. */
        WAIT
    }

    public String effectiveTopic(String queue) {
        return topic == null ? "tandem-events." + queue : topic;
    }

    public String effectiveExchange() {
        return exchange == null ? "tandem-events" : exchange;
    }
}
