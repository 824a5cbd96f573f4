package dev.tandem.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one source and the partitions that it offers. Reconnects until closed. Used by the loop's thread.
 */
final class SourceConnection {

    private static final long FIRST_BACKOFF_MILLIS = 100;
    private static final long MAX_BACKOFF_MILLIS = 5_000;
    /** A connection that lasted this long ends a series of failures. */
    private static final long STABLE_NANOS = 10_000_000_000L;

    private final RabbitSettings settings;
    private final RabbitHealth health;
    private final BlockingBrokerCalls calls;
    private @Nullable Connection current;
    private List<String> queues = List.of();
    private List<Partition> partitions = List.of();
    private String sourceId = "";
    private long connectedAt;
    private int failures;
    private boolean closed;

    SourceConnection(RabbitSettings settings, RabbitHealth health, BlockingBrokerCalls calls) {
        this.settings = settings;
        this.health = health;
        this.calls = calls;
    }

    boolean isOpen() {
        return current != null;
    }

    /** Returns the partitions of the queue; none while not connected. */
    List<Partition> partitions() {
        return isOpen() ? partitions : List.of();
    }

    /** Returns a name for what is read; empty before the first connection. */
    String sourceId() {
        return sourceId;
    }

    /**
     * The cluster's name is part of it only if an operator has set it: by default each node derives one from its own
     * host, so that nodes of one cluster differ.
     */
    private String sourceId(Connection connection) {
        Object name = connection.getServerProperties().get("cluster_name");
        String cluster = name == null || name.toString().contains("@") ? "" : " of cluster " + name;
        return "RabbitMQ queue " + settings.brokerQueue() + " in virtual host "
                + RabbitConnector.virtualHost(settings.uri()) + cluster;
    }

    /** Returns the broker's queue of one of the {@link #partitions}. */
    String queueOf(Partition partition) {
        return queues.get(partitions.indexOf(partition));
    }

    void connected(Connection connection, BrokerProduct broker, List<String> declaredQueues) {
        if (closed || !connection.isOpen()) {
            return; // If it was closed by the broker, that is reported next.
        }
        current = connection;
        connectedAt = System.nanoTime();
        queues = declaredQueues;
        List<Partition> all = new ArrayList<>();
        for (int i = 0; i < declaredQueues.size(); i++) {
            all.add(Partition.of(settings.queue(), i));
        }
        partitions = List.copyOf(all);
        sourceId = sourceId(connection);
        health.connected("connected to " + broker);
    }

    void connectFailed(Exception why) {
        String reason = why instanceof RabbitTopologyException
                ? String.valueOf(why.getMessage())
                : BrokerErrors.explainConnect(why);
        health.disconnected(reason, reason, "No tasks arrive until that is solved; retrying every few seconds.");
        reconnect();
    }

    /** Handles the end of a connection. Returns false if another one is in use. */
    boolean disconnected(Connection ended, ShutdownSignalException signal) {
        if (closed || (current != null && current != ended)) {
            return false;
        }
        current = null;
        failures = System.nanoTime() - connectedAt > STABLE_NANOS ? 0 : failures;
        health.disconnected(
                "disconnected",
                "lost the connection: " + BrokerErrors.explain(signal),
                "No new tasks arrive, and unacked messages will be redelivered; reconnecting.");
        reconnect();
        return true;
    }

    private void reconnect() {
        if (!closed) {
            calls.connect(backoffMillis(failures++));
        }
    }

    void close() {
        closed = true;
        current = null;
    }

    /** Returns a random delay that grows with the number of failures. */
    static long backoffMillis(int failures) {
        long millis = Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS << Math.min(failures, 10));
        return millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
    }
}
