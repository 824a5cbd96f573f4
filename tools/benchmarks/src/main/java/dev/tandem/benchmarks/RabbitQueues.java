package dev.tandem.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.rabbit.RabbitSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The broker's queues of one queue of Tandem's: filled, and consumed by a bare client. */
final class RabbitQueues implements AutoCloseable {

    private static final byte[] BODY = new byte[200];
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final RabbitSettings settings;
    private final Connection connection;
    private final Channel channel;

    /** @param classic declares the queue before Tandem does: durable, classic */
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

    /** Publishes so many persistent messages, and waits until the broker has confirmed them. */
    void fill(Keys keys, int tasks) throws Exception {
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
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());
    }

    /** As most people write it: acks each message where it is handled. One channel a queue. Returns tasks per second. */
    double bareConsumer(int tasks, Lab lab) throws Exception {
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
        Patience.await(
                PATIENCE,
                () -> {
                    lab.progress("bare consumer: %,d of %,d", handled.get(), tasks);
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

    /** A quorum queue may lose the last acks of a channel that closes; it has their messages again then. */
    private void empty() throws Exception {
        for (String queue : names()) {
            Patience.await(
                    PATIENCE,
                    () -> channel.queueDeclarePassive(queue).getConsumerCount() == 0,
                    () -> "The bare consumer of " + queue + " did not go");
            channel.queuePurge(queue);
        }
    }

    /** Messages that are in the queues and that nobody has. */
    long left() throws IOException {
        long left = 0;
        for (String queue : names()) {
            left += channel.queueDeclarePassive(queue).getMessageCount();
        }
        return left;
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

    /** Deletes the queues, so that the broker has nothing more to do with them. */
    @Override
    public void close() throws Exception {
        for (String queue : names()) {
            channel.queueDelete(queue);
        }
        connection.close();
    }
}
