package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of one queue to an exchange of the type topic, which it declares: a message of a CloudEvent in binary mode,
 * with the routing key {@code <queue>.<kind>}. The broker drops an event for which nobody has bound a queue.
 */
public final class RabbitEventPublisher implements EventPublisher {

    private static final int CONFIRM_MILLIS = 20_000;
    private static final int ABORT_MILLIS = 2_000;
    private static final int PERSISTENT = 2;

    private final String queue;
    private final String exchange;
    private final String address;
    private final RabbitConnector connector;
    private volatile @Nullable Connection connection;
    private @Nullable Channel channel;
    private volatile boolean closed;

    /** @param settings of the queue whose events they are */
    public RabbitEventPublisher(RabbitSettings settings, String exchange) {
        this.queue = settings.queue();
        this.exchange = exchange;
        this.address = settings.address();
        this.connector = new RabbitConnector(settings.uri(), RabbitThreads.named("events-" + settings.queue()));
    }

    @Override
    public void publish(List<EventMessage> events) {
        try {
            Channel to = channel();
            for (EventMessage event : events) {
                to.basicPublish(exchange, queue + "." + event.kind().text(), properties(event), event.data());
            }
            if (!to.waitForConfirms(CONFIRM_MILLIS)) {
                throw new IOException("the broker refused one");
            }
        } catch (InterruptedException e) {
            abort();
            Thread.currentThread().interrupt();
            throw new PublishException("The events were not published: the thread was interrupted", e);
        } catch (IOException | TimeoutException | RuntimeException e) {
            // Later confirms could be taken for those of these events.
            abort();
            throw new PublishException(
                    "The exchange '" + exchange + "' of RabbitMQ at " + address
                            + " did not confirm all events of queue '"
                            + queue + "': "
                            + (e instanceof TimeoutException
                                    ? "no answer within " + CONFIRM_MILLIS + " ms"
                                    : BrokerErrors.explain(e))
                            + (BrokerErrors.replyCode(e) == BrokerErrors.ACCESS_REFUSED
                                    ? ". Allow this user to configure and write it"
                                    : ". The events stay in Redis, and are published again"),
                    e);
        }
    }

    private static BasicProperties properties(EventMessage event) {
        Map<String, Object> headers = new HashMap<>();
        event.attributes().forEach((name, value) -> headers.put("cloudEvents:" + name, value));
        return new BasicProperties.Builder()
                .contentType(EventMessage.CONTENT_TYPE)
                .deliveryMode(PERSISTENT)
                .messageId(event.attributes().get("id"))
                .type(event.attributes().get("type"))
                .headers(headers)
                .build();
    }

    private Channel channel() throws IOException, TimeoutException {
        Channel current = channel;
        if (current != null && current.isOpen()) {
            return current;
        }
        abort();
        if (closed) {
            throw new IOException("this publisher is closed");
        }
        Connection opened = connector.connect("tandem events of " + queue);
        connection = opened;
        Channel made = RabbitConnector.openChannel(opened);
        made.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
        made.confirmSelect();
        channel = made;
        return made;
    }

    private void abort() {
        Connection last = connection;
        if (last != null) {
            last.abort(ABORT_MILLIS);
        }
        connection = null;
        channel = null;
    }

    @Override
    public void close() {
        closed = true;
        Connection last = connection;
        if (last != null) {
            last.abort(ABORT_MILLIS);
        }
    }
}
