package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A fresh queue in RabbitMQ, with a plain publisher that uses confirms. */
final class RabbitTestQueue extends TestQueue {

    private static final String EXCHANGE = "tandem";

    private final String name;
    private final boolean ordered;
    private final String rabbit;
    private final String redis;
    private final Connection connection;
    private final Channel channel;
    private final AtomicInteger unrouted = new AtomicInteger();

    RabbitTestQueue(String prefix, boolean ordered) {
        this(prefix, ordered, Brokers.redis().uri());
    }

    RabbitTestQueue(String prefix, boolean ordered, String redis) {
        this(prefix, ordered, Brokers.rabbit().uri(), redis);
    }

    RabbitTestQueue(String prefix, boolean ordered, String rabbit, String redis) {
        super(prefix);
        this.rabbit = rabbit;
        this.redis = redis;
        this.name = UniqueNames.fresh(prefix);
        this.ordered = ordered;
        this.connection = SharedRabbit.connect(rabbit);
        try {
            this.channel = connection.createChannel();
            channel.confirmSelect();
            channel.addReturnListener(returned -> unrouted.incrementAndGet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    String name() {
        return name;
    }

    @Override
    TestWorker.Options worker() {
        return new TestWorker.Options(
                rabbit, redis, name, ordered, newJournal(), 1_000, 4, 10_000, TestWorker.HORIZON_MILLIS);
    }

    @Override
    void awaitReady() {
        awaitDeclared();
    }

    @Override
    void publish(@Nullable String key, byte @Nullable [] payload, Map<String, String> headers) {
        Map<String, Object> table = new HashMap<>(headers);
        if (key != null) {
            table.put("tandem-key", key);
        }
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .messageId(UniqueNames.fresh(key == null ? "none" : key))
                .headers(table)
                .build();
        publish(properties, payload == null ? new byte[0] : payload);
    }

    @Override
    int partitions() {
        return ordered ? TestWorker.RABBIT_PARTITIONS : 1;
    }

    @Override
    void awaitAllSettled() {
        await("no message left in " + name)
                .atMost(PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .until(() -> messages() == 0);
    }

    /** Waits until the first worker has declared the queues. Messages that are published earlier are unroutable. */
    void awaitDeclared() {
        await("queues of " + name)
                .atMost(PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .ignoreExceptions()
                .until(this::isConsumed);
    }

    /** Whether workers consume. A worker consumes after it has declared everything, including the bindings. */
    private boolean isConsumed() throws IOException, TimeoutException {
        boolean all = true;
        for (int i = 0; i < partitions(); i++) {
            try (Channel asking = connection.createChannel()) {
                all &= asking.consumerCount(ordered ? name + "." + i : name) > 0;
            }
        }
        return all;
    }

    /** Returns how many channels consume from an unordered queue. */
    long consumers() throws IOException, TimeoutException {
        try (Channel asking = connection.createChannel()) {
            return asking.consumerCount(name);
        }
    }

    /** Counts the ready messages. Fails if the queue does not exist. */
    long messages() throws IOException, TimeoutException {
        long sum = 0;
        for (int i = 0; i < partitions(); i++) {
            // A missing queue closes the channel.
            try (Channel asking = connection.createChannel()) {
                sum += asking.messageCount(ordered ? name + "." + i : name);
            }
        }
        return sum;
    }

    /** Waits until no message is left. The broker may notice late that an executor died, when no other one consumes. */
    void awaitNothingLeft() throws Exception {
        while (messages() > 0) {
            try (TestWorker another = new TestWorker(worker())) {
                await("no message left in " + name)
                        .atMost(PATIENCE)
                        .pollInterval(POLL_INTERVAL)
                        .until(() -> messages() == 0 && another.unsettled() == 0);
            }
        }
    }

    /** Publishes a task that is expected to succeed. @param headers names and values in turn */
    void send(String key, int number, String action, String... headers) {
        String id = key + "-" + number;
        expect(id);
        Map<String, Object> table = new LinkedHashMap<>();
        table.put("tandem-key", key);
        for (int i = 0; i < headers.length; i += 2) {
            table.put(headers[i], headers[i + 1]);
        }
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .messageId(id)
                .headers(table)
                .build();
        publish(properties, ScriptedHandler.payload(id, action));
    }

    /** Publishes a task without a message id. Its success is not awaited. */
    void sendWithoutId(String key, String action) {
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .headers(Map.of("tandem-key", key))
                .build();
        publish(properties, ScriptedHandler.payload(key + "-0", action));
    }

    private void publish(AMQP.BasicProperties properties, byte[] body) {
        try {
            channel.basicPublish(EXCHANGE, name, true, properties, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns how many successes Redis has recorded in all partitions. */
    long recorded() {
        try (StatefulRedisConnection<String, String> redis =
                Brokers.redis().client().connect()) {
            long sum = 0;
            for (int i = 0; i < TestWorker.RABBIT_PARTITIONS; i++) {
                String count = redis.sync().hget("tandem:{" + name + "/" + i + "}:stats", "succeeded");
                sum += count == null ? 0 : Long.parseLong(count);
            }
            return sum;
        }
    }

    @Override
    void flush() {
        try {
            channel.waitForConfirmsOrDie(PATIENCE.toMillis());
            // A returned message arrives before its confirm.
            assertThat(unrouted).as("unroutable messages").hasValue(0);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The broker did not confirm all messages", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
