package dev.tandem.server.runtime;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.RabbitConnector;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.queues.BrokerSettings;
import dev.tandem.runtime.settings.TandemSettings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the ready messages in RabbitMQ's queues. Unacked deliveries are not counted, because AMQP does not tell their
 * number.
 */
final class RabbitBacklog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RabbitBacklog.class);

    static final int TIMEOUT_MILLIS = 1_500;

    /** For how long nothing is asked after the broker was silent, so that a list of queues waits once and not for each. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final TandemSettings.RabbitSettings settings;
    private @Nullable RabbitConnector connector;
    private @Nullable Connection connection;
    private long silentUntil = System.nanoTime();

    RabbitBacklog(TandemSettings.RabbitSettings settings) {
        this.settings = settings;
    }

    /** Returns the backlog of an unordered queue, under "" as its own. Empty if the broker does not answer. */
    synchronized Map<String, Long> of(String queue) {
        if (isSilent()) {
            return Map.of();
        }
        try (Channel channel = connection().createChannel()) {
            return Map.of("", (long) channel.queueDeclarePassive(queue).getMessageCount());
        } catch (IOException | TimeoutException | AlreadyClosedException e) {
            return unknown(queue, e);
        }
    }

    /**
     * Returns the backlog of the existing sub-queues, and under "" the messages that are not in a sub-queue yet.
     *
     * @param maxCount how many sub-queues may exist
     */
    synchronized Map<String, Long> ofSubQueues(String queue, int maxCount) {
        Map<String, Long> lags = new LinkedHashMap<>();
        if (isSilent()) {
            return lags;
        }
        try (Channel channel = connection().createChannel()) {
            for (int number = 0; number < maxCount; number++) {
                String name = RabbitSettings.subQueueName(queue, number);
                lags.put(Integer.toString(number), (long)
                        channel.queueDeclarePassive(name).getMessageCount());
            }
            lags.put("", (long) channel.queueDeclarePassive(RabbitSettings.unroutedName(queue))
                    .getMessageCount());
            return lags;
        } catch (IOException | TimeoutException | AlreadyClosedException e) {
            // A missing sub-queue closes the channel. Only those before it exist.
            return lags.isEmpty() ? unknown(queue, e) : lags;
        }
    }

    /** Opens a channel, and a connection if there is none. Returns null. @throws Exception if the broker does not answer */
    synchronized @Nullable Void ping() throws Exception {
        connection().createChannel().close();
        return null;
    }

    private Map<String, Long> unknown(String queue, Exception why) {
        if (!(why.getCause()
                instanceof ShutdownSignalException)) { // It is no answer, such as that there is no such queue.
            silentUntil = System.nanoTime() + SILENT_NANOS;
        }
        log.debug("Cannot read the backlog of RabbitMQ queue {}: {}", queue, why.toString());
        return Map.of();
    }

    private boolean isSilent() {
        return silentUntil - System.nanoTime() > 0;
    }

    private Connection connection() throws IOException, TimeoutException {
        Connection open = connection;
        if (open == null || !open.isOpen()) {
            if (connector == null) {
                connector = connector(settings);
            }
            open = connector.connect("tandem-backlog");
            connection = open;
        }
        return open;
    }

    /** Returns what opens connections for questions. */
    static RabbitConnector connector(TandemSettings.RabbitSettings settings) {
        return new RabbitConnector(settings.uri(), BrokerSettings.rabbitAccess(settings), TIMEOUT_MILLIS);
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.abort(TIMEOUT_MILLIS);
        }
    }
}
