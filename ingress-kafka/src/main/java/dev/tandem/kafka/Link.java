package dev.tandem.kafka;

import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Whether brokers answer a consumer, by its own metrics: connections that are open, and bytes that came in. A member of
 * a group hears from its coordinator at every heartbeat, so silence means that nobody is there.
 */
final class Link {

    private static final long LOOK_MILLIS = 500;
    private static final long ALONE_MILLIS = 1_000;
    private static final long SILENCE_MILLIS = 12_000;

    /** What the last looks showed. */
    enum State {
        /** Nothing came yet, and it is too soon to say more. */
        NEW,
        UP,
        /** No connection is open. */
        ALONE,
        /** Connections are open, and nothing comes. */
        SILENT
    }

    private final @Nullable Metric connections;
    private final @Nullable Metric bytes;
    private State state = State.NEW;
    private double lastBytes;
    private long heardAt;
    private long connectedAt;
    private long lookAt;

    Link(Map<MetricName, ? extends Metric> metrics, long now) {
        heardAt = now;
        connectedAt = now;
        connections = metric(metrics, "connection-count");
        bytes = metric(metrics, "incoming-byte-total");
    }

    private static @Nullable Metric metric(Map<MetricName, ? extends Metric> metrics, String name) {
        return metrics.entrySet().stream()
                .filter(each -> each.getKey().name().equals(name)
                        && each.getKey().group().equals("consumer-metrics"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** Looks now and then. Only bytes that come end a trouble: a connection that is being tried counts as one. */
    State look(long now) {
        if (now >= lookAt) {
            lookAt = now + LOOK_MILLIS;
            double received = value(bytes);
            boolean connected = value(connections) > 0;
            connectedAt = connected ? now : connectedAt;
            if (received != lastBytes) {
                lastBytes = received;
                heardAt = now;
                connectedAt = now;
                state = State.UP;
            } else if (now - connectedAt >= ALONE_MILLIS) {
                state = State.ALONE;
            } else if (now - heardAt >= SILENCE_MILLIS) {
                state = State.SILENT;
            }
        }
        return state;
    }

    private static double value(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Double value ? value : 0;
    }
}
