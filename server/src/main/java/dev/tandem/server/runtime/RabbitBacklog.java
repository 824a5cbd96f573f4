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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many messages are ready in RabbitMQ's queues. What was delivered to an executor and is not acked yet is not
 * counted: AMQP does not tell.
 */
final class RabbitBacklog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RabbitBacklog.class);

    private static final int PATIENCE_MILLIS = 1_500;

    private final String uri;
    private @Nullable Connection connection;

    /** @param uris the first of them is asked */
    RabbitBacklog(String uris) {
        this.uri = uris.split(",", 2)[0].strip();
    }

    /** An unordered queue's; all in one place, so under no partition's name. Empty if the broker does not answer. */
    synchronized Map<String, Long> of(String queue) {
        try (Channel channel = connection().createChannel()) {
            return Map.of("", (long) channel.queueDeclarePassive(queue).getMessageCount());
        } catch (IOException | TimeoutException | AlreadyClosedException e) {
            return unknown(queue, e);
        }
    }

    /** Of the sub-queues that there are; what waits for its way to one of them is under no partition's name. */
    synchronized Map<String, Long> ofSubQueues(String queue, int most) {
        Map<String, Long> lags = new LinkedHashMap<>();
        try (Channel channel = connection().createChannel()) {
            for (int number = 0; number < most; number++) {
                String name = RabbitSettings.subQueueName(queue, number);
                lags.put(Integer.toString(number), (long)
                        channel.queueDeclarePassive(name).getMessageCount());
            }
            lags.put("", (long) channel.queueDeclarePassive(RabbitSettings.unroutedName(queue))
                    .getMessageCount());
            return lags;
        } catch (IOException | TimeoutException | AlreadyClosedException e) {
            // One that is missing closes the channel: those before it are all that there are.
            return lags.isEmpty() ? unknown(queue, e) : lags;
        }
    }

    private static Map<String, Long> unknown(String queue, Exception why) {
        log.debug("The backlog of {} is not known: {}", queue, why.toString());
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
        } catch (GeneralSecurityException | URISyntaxException e) {
            throw new IOException(e);
        }
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout(PATIENCE_MILLIS);
        factory.setHandshakeTimeout(PATIENCE_MILLIS);
        factory.setChannelRpcTimeout(PATIENCE_MILLIS);
        return factory;
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.abort(PATIENCE_MILLIS);
        }
    }
}
