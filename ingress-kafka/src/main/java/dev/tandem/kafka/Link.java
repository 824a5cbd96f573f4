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
    private static final long SILENCE_MILLIS = 12_000;

    private final @Nullable Metric connections;
    private final @Nullable Metric bytes;
    private double lastBytes = -1;
    private long heardAt = Long.MIN_VALUE;
    private long lookAt;
    private @Nullable String trouble;

    Link(Map<MetricName, ? extends Metric> metrics) {
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

    /** Looks now and then. Whether it did. */
    boolean look(long now) {
        if (now < lookAt) {
            return false;
        }
        lookAt = now + LOOK_MILLIS;
        double received = value(bytes);
        if (received != lastBytes || heardAt == Long.MIN_VALUE) {
            lastBytes = received;
            heardAt = now;
        }
        if (value(connections) == 0) {
            trouble = "no broker can be reached";
        } else if (now - heardAt > SILENCE_MILLIS) {
            trouble = "no broker has answered for " + SILENCE_MILLIS / 1000 + " s";
        } else {
            trouble = null;
        }
        return true;
    }

    /** Null if all is well. */
    @Nullable
    String trouble() {
        return trouble;
    }

    private static double value(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Double value ? value : 1;
    }
}
