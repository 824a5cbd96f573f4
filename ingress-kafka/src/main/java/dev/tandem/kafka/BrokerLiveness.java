package dev.tandem.kafka;

import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Tells from a consumer's own metrics whether brokers answer it: the number of open connections and of bytes received.
 * A group member hears from its coordinator at every heartbeat, so silence means that no broker answers.
 */
final class BrokerLiveness {

    private static final long CHECK_MILLIS = 500;
    private static final long DISCONNECTED_MILLIS = 1_000;
    private static final long SILENT_MILLIS = 12_000;

    enum State {
        /** Nothing was received yet, and it is too early to call that a problem. */
        UNKNOWN,
        /** Brokers answer. */
        ANSWERING,
        /** No connection is open. */
        DISCONNECTED,
        /** Connections are open, but nothing is received. */
        SILENT
    }

    private final @Nullable Metric openConnections;
    private final @Nullable Metric receivedBytes;
    private State state = State.UNKNOWN;
    private double lastReceivedBytes;
    private long lastReceivedAt;
    private long lastConnectedAt;
    private long nextCheckAt;

    BrokerLiveness(Map<MetricName, ? extends Metric> metrics, long now) {
        lastReceivedAt = now;
        lastConnectedAt = now;
        openConnections = metric(metrics, "connection-count");
        receivedBytes = metric(metrics, "incoming-byte-total");
    }

    private static @Nullable Metric metric(Map<MetricName, ? extends Metric> metrics, String name) {
        return metrics.entrySet().stream()
                .filter(each -> each.getKey().name().equals(name)
                        && each.getKey().group().equals("consumer-metrics"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the state, which is updated every {@value #CHECK_MILLIS} ms. Only received bytes end a problem, because
     * the metric also counts connections that are still being opened.
     */
    State check(long now) {
        if (now >= nextCheckAt) {
            nextCheckAt = now + CHECK_MILLIS;
            double received = value(receivedBytes);
            boolean connected = value(openConnections) > 0;
            lastConnectedAt = connected ? now : lastConnectedAt;
            if (received != lastReceivedBytes) {
                lastReceivedBytes = received;
                lastReceivedAt = now;
                lastConnectedAt = now;
                state = State.ANSWERING;
            } else if (now - lastConnectedAt >= DISCONNECTED_MILLIS) {
                state = State.DISCONNECTED;
            } else if (now - lastReceivedAt >= SILENT_MILLIS) {
                state = State.SILENT;
            }
        }
        return state;
    }

    private static double value(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Double value ? value : 0;
    }
}
