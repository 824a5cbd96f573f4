package dev.tandem.server.it;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A fresh queue on RabbitMQ, and a plain publisher with confirms. */
final class RabbitQueue extends Workplace {

    private static final String EXCHANGE = "tandem";

    private final String name;
    private final boolean ordered;
    private final Connection connection;
    private final Channel channel;

    RabbitQueue(String prefix, boolean ordered) {
        super(prefix);
        this.name = Names.fresh(prefix);
        this.ordered = ordered;
        this.connection = Brokers.rabbit().connect();
        try {
            this.channel = connection.createChannel();
            channel.confirmSelect();
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
        return new Worker.Options(
                Brokers.rabbit().uri(), Brokers.redis().uri(), name, ordered, journal(), 1_000, 4, 10_000);
    }

    /** Until the first worker has declared what it needs: before that, nothing can be published. */
    void awaitDeclared() {
        await("queues of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .ignoreExceptions()
                .until(() -> messages() == 0);
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
        try {
            channel.basicPublish(EXCHANGE, name, true, properties, Behaviour.payload(id, what));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    void flush() {
        try {
            channel.waitForConfirmsOrDie(PATIENCE.toMillis());
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
