package dev.tandem.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.kit.Await;
import dev.tandem.rabbit.RabbitSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The RabbitMQ queues behind one queue of Tandem, which can be filled, and consumed by a bare client. */
final class RabbitQueues implements AutoCloseable {

    private static final byte[] BODY = new byte[200];
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final RabbitSettings settings;
    private final Connection connection;
    private final Channel channel;

    /** @param classic whether to declare a durable classic queue, before Tandem declares a quorum queue */
    RabbitQueues(RabbitSettings settings, boolean classic) throws Exception {
        this.settings = settings;
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(settings.uri());
        connection = factory.newConnection("tandem-bench");
        channel = connection.createChannel();
        channel.confirmSelect();
        if (classic) {
            channel.queueDeclare(settings.brokerQueue(), true, false, false, Map.of());
        }
    }

    /** Publishes this number of persistent messages, and waits until the broker has confirmed them. */
    void fill(KeyDistribution keys, int tasks) throws Exception {
        Random random = new Random(7);
        BasicProperties plain = MessageProperties.PERSISTENT_BASIC;
        for (int i = 0; i < tasks; i++) {
            if (settings.ordered()) {
                BasicProperties keyed = plain.builder()
                        .headers(Map.of("tandem-key", keys.key(random, i)))
                        .build();
                channel.basicPublish(settings.exchange(), settings.queue(), keyed, BODY);
            } else {
                channel.basicPublish("", settings.brokerQueue(), plain, BODY);
            }
        }
        channel.waitForConfirmsOrDie(LIMIT.toMillis());
    }

    /** Consumes with one channel per queue, and acks each message where it is handled. Returns tasks per second. */
    double bareConsumer(int tasks, ScenarioContext context) throws Exception {
        AtomicLong handled = new AtomicLong();
        List<Channel> channels = new ArrayList<>();
        long start = System.nanoTime();
        for (String queue : names()) {
            Channel each = connection.createChannel();
            channels.add(each);
            each.basicQos(settings.prefetch());
            each.basicConsume(queue, false, new DefaultConsumer(each) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                        throws IOException {
                    each.basicAck(envelope.getDeliveryTag(), false);
                    handled.incrementAndGet();
                }
            });
        }
        Await.until(
                LIMIT,
                () -> {
                    context.progress("bare consumer: %,d of %,d", handled.get(), tasks);
                    return handled.get() >= tasks;
                },
                () -> "The bare consumer got only " + handled + " of " + tasks);
        double seconds = (System.nanoTime() - start) / 1e9;
        for (Channel each : channels) {
            each.close();
        }
        empty();
        return tasks / seconds;
    }

    /** Removes messages that are back because a quorum queue may lose the last acks of a channel that closes. */
    private void empty() throws Exception {
        for (String queue : names()) {
            Await.until(
                    LIMIT,
                    () -> channel.queueDeclarePassive(queue).getConsumerCount() == 0,
                    () -> "The bare consumer of " + queue + " did not end");
            channel.queuePurge(queue);
        }
    }

    /** Returns the number of messages in the queues that no consumer holds. */
    long ready() throws IOException {
        long ready = 0;
        for (String queue : names()) {
            ready += channel.queueDeclarePassive(queue).getMessageCount();
        }
        return ready;
    }

    private List<String> names() {
        if (!settings.ordered()) {
            return List.of(settings.brokerQueue());
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < settings.partitions(); i++) {
            names.add(settings.brokerQueue() + "." + i);
        }
        return names;
    }

    /** Deletes the queues, so that they do not slow down the broker. */
    @Override
    public void close() throws Exception {
        for (String queue : names()) {
            channel.queueDelete(queue);
        }
        connection.close();
    }
}
