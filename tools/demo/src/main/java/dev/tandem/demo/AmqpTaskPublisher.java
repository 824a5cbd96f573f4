package dev.tandem.demo;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tandem.task.TaskHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Publishes tasks as a plain AMQP client does: persistent, mandatory, confirmed. Not thread-safe. */
final class AmqpTaskPublisher implements TaskPublisher {

    private static final String EXCHANGE = "tandem";
    private static final long CONFIRM_MILLIS = 30_000;

    private final Connection connection;
    private final Channel channel;
    private final AtomicInteger returned = new AtomicInteger();

    AmqpTaskPublisher(String uri) {
        try {
            connection = connect(uri);
            channel = connection.createChannel();
            channel.confirmSelect();
            channel.addReturnListener(message -> returned.incrementAndGet());
        } catch (IOException e) {
            throw new IllegalStateException("Cannot connect to the AMQP broker: " + e.getMessage(), e);
        }
    }

    private static Connection connect(String uri) throws IOException {
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(uri);
            return factory.newConnection("tandem-demo");
        } catch (TimeoutException | java.security.GeneralSecurityException | java.net.URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /**
     * Whether an executor consumes from the queue. It has declared the queue's bindings by then; a message that is
     * published earlier is unroutable.
     */
    static boolean isConsumed(String uri, String queue) {
        try (Connection connection = connect(uri);
                Channel channel = connection.createChannel()) {
            return channel.consumerCount(queue) > 0;
        } catch (IOException | TimeoutException | AlreadyClosedException e) {
            return false;
        }
    }

    @Override
    public void send(DemoTask task, long nowMillis) {
        Map<String, Object> headers = new HashMap<>();
        if (task.delayed()) {
            // AMQP's own timestamp has whole seconds only.
            headers.put(
                    TaskHeaders.NOT_BEFORE,
                    Long.toString(nowMillis + task.delay().toMillis()));
        }
        AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .deliveryMode(2)
                .messageId(task.id())
                .contentType("application/json")
                .headers(headers)
                .build();
        try {
            channel.basicPublish(
                    EXCHANGE, "mail.demo", true, properties, task.payload().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("The AMQP broker did not accept a message: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
            connection.close();
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The AMQP broker did not confirm its messages: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (returned.get() > 0) {
            throw new IllegalStateException("The AMQP broker returned " + returned.get() + " messages as unroutable");
        }
    }
}
