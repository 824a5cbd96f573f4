package dev.tandem.server.runtime;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tandem.rabbit.RabbitSettings;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the ready messages in RabbitMQ's queues. Unacked deliveries are not counted, because AMQP does not tell their
 * number.
 */
final class RabbitBacklog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RabbitBacklog.class);

    private static final int TIMEOUT_MILLIS = 1_500;

    private final String uri;
    private @Nullable Connection connection;

    /** @param uris comma-separated; only the first one is used */
    RabbitBacklog(String uris) {
        this.uri = uris.split(",", 2)[0].strip();
    }

    /** Returns the backlog of an unordered queue, under "" as its own. Empty if the broker does not answer. */
    synchronized Map<String, Long> of(String queue) {
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

    private static Map<String, Long> unknown(String queue, Exception why) {
        log.debug("Cannot read the backlog of RabbitMQ queue {}: {}", queue, why.toString());
        return Map.of();
    }

    private Connection connection() throws IOException, TimeoutException {
        Connection open = connection;
        if (open == null || !open.isOpen()) {
            open = factory().newConnection("tandem-backlog");
            connection = open;
        }
        return open;
    }

    private ConnectionFactory factory() throws IOException {
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(uri);
            if (factory.isSSL()) {
                // Without this the client trusts every certificate, and tells everybody the password.
                factory.useSslProtocol(SSLContext.getDefault());
                factory.enableHostnameVerification();
            }
        } catch (GeneralSecurityException | URISyntaxException e) {
            throw new IOException(e);
        }
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout(TIMEOUT_MILLIS);
        factory.setHandshakeTimeout(TIMEOUT_MILLIS);
        factory.setChannelRpcTimeout(TIMEOUT_MILLIS);
        return factory;
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.abort(TIMEOUT_MILLIS);
        }
    }
}
