package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A fresh queue on RabbitMQ, and a plain publisher with confirms. */
final class RabbitQueue extends Workplace {

    private static final String EXCHANGE = "tandem";

    private final String name;
    private final boolean ordered;
    private final String redis;
    private final Connection connection;
    private final Channel channel;
    private final AtomicInteger unrouted = new AtomicInteger();

    RabbitQueue(String prefix, boolean ordered) {
        this(prefix, ordered, Brokers.redis().uri());
    }

    RabbitQueue(String prefix, boolean ordered, String redis) {
        super(prefix);
        this.redis = redis;
        this.name = UniqueNames.fresh(prefix);
        this.ordered = ordered;
        this.connection = Brokers.rabbit().connect();
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
    Worker.Options worker() {
        return new Worker.Options(Brokers.rabbit().uri(), redis, name, ordered, journal(), 1_000, 4, 10_000);
    }

    /** Until the first worker has declared what it needs: before that, nothing can be published. */
    void awaitDeclared() {
        await("queues of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .ignoreExceptions()
                .until(this::isConsumed);
    }

    /** A worker consumes after it has declared all, the bindings too. */
    private boolean isConsumed() throws IOException, TimeoutException {
        boolean all = true;
        for (int i = 0; i < (ordered ? Worker.RABBIT_PARTITIONS : 1); i++) {
            try (Channel asking = connection.createChannel()) {
                all &= asking.consumerCount(ordered ? name + "." + i : name) > 0;
            }
        }
        return all;
    }

    /** Of an unordered queue: channels that consume. */
    long consumers() throws IOException, TimeoutException {
        try (Channel asking = connection.createChannel()) {
            return asking.consumerCount(name);
        }
    }

    /** Messages that wait in the broker and are not with a consumer; fails while there is no queue. */
    long messages() throws IOException, TimeoutException {
        long sum = 0;
        for (int i = 0; i < (ordered ? Worker.RABBIT_PARTITIONS : 1); i++) {
            // A queue that is missing closes the channel.
            try (Channel asking = connection.createChannel()) {
                sum += asking.messageCount(ordered ? name + "." + i : name);
            }
        }
        return sum;
    }

    /** The broker may learn late that an executor died, and give its messages to nobody who is still there. */
    void awaitNothingLeft() throws Exception {
        while (messages() > 0) {
            try (Worker another = new Worker(worker())) {
                await("no message left in " + name)
                        .atMost(PATIENCE)
                        .pollInterval(LOOK)
                        .until(() -> messages() == 0 && another.unsettled() == 0);
            }
        }
    }

    /** Publishes a task that is expected to succeed in the end. Headers as name and value by turns. */
    void send(String key, int number, String what, String... headers) {
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
        publish(properties, Behaviour.payload(id, what));
    }

    /** Publishes a task without a message id, of which nothing is expected by its id. */
    void sendNameless(String key, String what) {
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .headers(Map.of("tandem-key", key))
                .build();
        publish(properties, Behaviour.payload(key + "-0", what));
    }

    private void publish(AMQP.BasicProperties properties, byte[] body) {
        try {
            channel.basicPublish(EXCHANGE, name, true, properties, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Successes that Redis recorded, of all partitions. */
    long recorded() {
        try (StatefulRedisConnection<String, String> redis =
                Brokers.redis().client().connect()) {
            long sum = 0;
            for (int i = 0; i < Worker.RABBIT_PARTITIONS; i++) {
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
            // A return comes before its confirm.
            assertThat(unrouted).as("messages that no queue took").hasValue(0);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("Not all was confirmed", e);
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
