package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.RabbitEventQueue.Bound;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of one queue to an exchange of the type topic, which it declares: a message of a CloudEvent in binary mode,
 * with the routing key {@code <queue>.<kind>}. The broker drops an event for which nobody has bound a queue, so the queue that is to keep
 * the events is bound on each connection before the first of them.
 */
public final class RabbitEventPublisher implements EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(RabbitEventPublisher.class);

    private static final int CONFIRM_MILLIS = 20_000;
    private static final int ABORT_MILLIS = 2_000;
    private static final int PERSISTENT = 2;

    private final String queue;
    private final String exchange;
    private final String address;
    private final RabbitConnector connector;
    private final @Nullable RabbitEventQueue keeper;
    private final Bound bound;
    private BatchConfirms confirms = new BatchConfirms();
    /** The id of the first event that was refused, for each partition whose last events were. */
    private final Map<String, String> refused = new HashMap<>();

    private volatile @Nullable Connection connection;
    private @Nullable Channel channel;
    private volatile boolean closed;
    private boolean warned;

    /** @param settings of the queue whose events they are */
    public RabbitEventPublisher(RabbitSettings settings, String exchange) {
        this(settings, exchange, null);
    }

    /**
     * @param settings of the queue whose events they are
     * @param keeper a queue that is to keep them; null if there is none
     */
    public RabbitEventPublisher(RabbitSettings settings, String exchange, @Nullable RabbitEventQueue keeper) {
        this.keeper = keeper;
        this.bound = new Bound(settings, exchange);
        this.queue = settings.queue();
        this.exchange = exchange;
        this.address = settings.address();
        this.connector = new RabbitConnector(settings, RabbitThreads.named("events-" + settings.queue()));
    }

    @Override
    public void publish(List<EventMessage> events) {
        if (events.isEmpty()) {
            return;
        }
        try {
            Channel to = channel();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CONFIRM_MILLIS);
            int from = firstUnconfirmed(events);
            if (refused.containsKey(partition(events.get(from)))) {
                // A queue that is full refuses all of a batch, and other bound queues get all of it again each time.
                publish(to, events.subList(from, from + 1), deadline);
                from++;
            }
            publish(to, events.subList(from, events.size()), deadline);
            refused.remove(partition(events.get(0)));
        } catch (InterruptedException e) {
            abort();
            Thread.currentThread().interrupt();
            throw new PublishException("The events were not published: the thread was interrupted", e);
        } catch (PublishException e) {
            throw e; // All of them are confirmed or refused: the channel can be used on.
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

    private void publish(Channel to, List<EventMessage> events, long deadline)
            throws IOException, TimeoutException, InterruptedException {
        if (events.isEmpty()) {
            return;
        }
        confirms.begin(to.getNextPublishSeqNo(), events.size());
        for (EventMessage event : events) {
            to.basicPublish(exchange, queue + "." + event.kind().text(), properties(event), event.data());
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (!to.waitForConfirms(Math.max(1, left))) {
            int at = confirms.firstRefused();
            EventMessage first = events.get(at < events.size() ? at : 0);
            refused.put(partition(first), id(first));
            throw new PublishException("A queue that is bound to the exchange '" + exchange + "' of RabbitMQ at "
                    + address
                    + " refused an event of queue '" + queue + "', perhaps because it is full and has the overflow"
                    + " reject-publish. The events stay in Redis, and are published again: let somebody read that"
                    + " queue, delete it, or set its overflow to drop-head");
        }
    }

    /** Returns where to begin: those before the one that was refused the last time were confirmed. */
    private int firstUnconfirmed(List<EventMessage> events) {
        String first = refused.get(partition(events.get(0)));
        for (int i = 0; first != null && i < events.size(); i++) {
            if (id(events.get(i)).equals(first)) {
                return i;
            }
        }
        return 0;
    }

    private static String id(EventMessage event) {
        return String.valueOf(event.attributes().get("id"));
    }

    /** Returns what the id of an event begins with. */
    private static String partition(EventMessage event) {
        String id = id(event);
        return id.substring(0, Math.max(0, id.indexOf('/')));
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
        bindKeeper(opened);
        made.confirmSelect();
        confirms = new BatchConfirms(); // Numbers begin anew.
        made.addConfirmListener(confirms);
        channel = made;
        return made;
    }

    /** Binds the queue that is to keep the events. Others get them all the same if the broker refuses it. */
    private void bindKeeper(Connection on) throws IOException {
        if (keeper == null) {
            return;
        }
        try {
            IOException unused = keeper.declare(on, List.of(bound));
        } catch (IOException e) {
            if (BrokerErrors.replyCode(e) == 0 || BrokerErrors.isConnectionClosed(e)) {
                throw e;
            } else if (!warned) {
                warned = true;
                log.warn(
                        "Queue {}: the queue '{}' of RabbitMQ cannot be bound, and may not get its events: {}",
                        queue,
                        keeper.name(),
                        BrokerErrors.explain(e));
            }
        }
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
