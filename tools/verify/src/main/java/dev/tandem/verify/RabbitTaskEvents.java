package dev.tandem.verify;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads the events of tasks from a RabbitMQ queue that is bound to their exchange. Connects again when it is cut off. */
final class RabbitTaskEvents implements TaskEventReader {

    private static final String PREFIX = "cloudEvents:";
    private static final String END = "end";
    private static final int PREFETCH = 500;
    private static final int PERSISTENT = 2;
    private static final long RETRY_MILLIS = 300;
    private static final int CONFIRM_MILLIS = 5_000;

    private final ConnectionFactory factory = new ConnectionFactory();
    private final List<Address> addresses;
    private final String queue;
    private final String exchange;
    private final TaskEventLog log;
    private final Thread thread;
    private final CountDownLatch reachedEnd = new CountDownLatch(1);
    private volatile Channel channel;
    private volatile boolean closed;

    /**
     * Declares the exchange, binds a queue to it, and begins to read.
     *
     * @param uris the addresses of the broker's nodes, separated by commas
     * @param queue whose tasks they are
     */
    RabbitTaskEvents(String uris, String queue, String exchange, TaskEventLog log) throws Exception {
        factory.setUri(uris.split(",", -1)[0]);
        factory.setAutomaticRecoveryEnabled(false);
        this.addresses = Arrays.stream(uris.split(",", -1))
                .map(URI::create)
                .map(uri -> new Address(uri.getHost(), uri.getPort()))
                .toList();
        this.queue = queue;
        this.exchange = exchange;
        this.log = log;
        this.channel = open();
        this.thread = new Thread(this::run, "verify-task-events");
        thread.setDaemon(true);
        thread.start();
    }

    private Channel open() throws IOException, TimeoutException {
        Connection connection = factory.newConnection(addresses, "verify-events");
        try {
            Channel opened = connection.createChannel();
            opened.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
            // It is on all nodes of a cluster, so that a node that is away does not lose events.
            opened.queueDeclare(exchange, true, false, false, Map.of("x-queue-type", "quorum"));
            opened.queueBind(exchange, exchange, queue + ".*");
            opened.confirmSelect();
            opened.basicQos(PREFETCH);
            opened.basicConsume(exchange, false, (tag, delivery) -> came(opened, delivery), tag -> abort(connection));
            return opened;
        } catch (IOException | RuntimeException e) {
            abort(connection);
            throw e;
        }
    }

    private static void abort(Connection connection) {
        connection.abort(1_000);
    }

    private void came(Channel from, Delivery delivery) throws IOException {
        if (delivery.getEnvelope().getRoutingKey().equals(queue + "." + END)) {
            reachedEnd.countDown();
        } else {
            Map<String, String> attributes = new HashMap<>();
            delivery.getProperties().getHeaders().forEach((name, value) -> {
                if (name.startsWith(PREFIX)) {
                    attributes.put(name.substring(PREFIX.length()), value.toString());
                }
            });
            log.came(attributes, delivery.getBody());
        }
        from.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
    }

    private void run() {
        while (!closed) {
            try {
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                if (!channel.isOpen() && !closed) {
                    abort(channel.getConnection());
                    channel = open();
                }
            } catch (InterruptedException e) {
                return;
            } catch (IOException | TimeoutException | RuntimeException e) {
                // The broker is away, as some faults intend.
            }
        }
    }

    @Override
    public boolean readToEnd(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < deadline) {
            if (publishEnd()) {
                return reachedEnd.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
        return false;
    }

    /** Publishes a message behind all events. Returns whether the broker has it. */
    private boolean publishEnd() throws InterruptedException {
        Channel to = channel;
        try {
            to.basicPublish(
                    exchange,
                    queue + "." + END,
                    new BasicProperties.Builder().deliveryMode(PERSISTENT).build(),
                    new byte[0]);
            return to.waitForConfirms(CONFIRM_MILLIS);
        } catch (IOException | TimeoutException | AlreadyClosedException | IllegalStateException e) {
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        Channel last = channel;
        try {
            last.queueDelete(exchange);
            last.exchangeDelete(exchange);
        } catch (IOException | AlreadyClosedException e) {
            // They have names of their own, and stay.
        }
        abort(last.getConnection());
    }
}
