package dev.tandem.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.local.LocalAmqp;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures how fast a {@link RabbitSource} alone delivers and acks messages of a quorum queue, beside a bare consumer
 * that acks each message. Both take turns. A program without budgets:
 * {@code RabbitSourceRate [messages [rounds [uri]]]}.
 */
final class RabbitSourceRate {

    private static final int MESSAGES = 15_000;
    private static final int ROUNDS = 3;
    private static final byte[] BODY = new byte[200];

    private RabbitSourceRate() {}

    public static void main(String[] args) throws Exception {
        int messages = args.length > 0 ? Integer.parseInt(args[0]) : MESSAGES;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : ROUNDS;
        if (args.length > 2) {
            measure(args[2], messages, rounds);
        } else {
            try (LocalAmqp rabbit = LocalAmqp.builder().rabbitOnly().start()) {
                measure(rabbit.address(), messages, rounds);
            }
        }
    }

    private static void measure(String uri, int messages, int rounds) throws Exception {
        String queue = "source-rate-" + UUID.randomUUID();
        RabbitSettings settings = RabbitSettings.of(uri, queue).withPartitions(1);
        connected(settings).close(); // Declares the queue.
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        try (Connection connection = factory.newConnection("tandem-source-rate");
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            for (int round = 1; round <= rounds; round++) {
                fill(channel, queue, messages);
                double bare = bareConsumer(connection, settings, messages);
                channel.queuePurge(queue); // A channel that closes may lose its last acks.
                fill(channel, queue, messages);
                double ours = source(settings, messages);
                System.out.printf(
                        "round %d, %d messages of %d bytes: bare consumer %,.0f/s, source %,.0f/s (%.0f %%)%n",
                        round, messages, BODY.length, bare, ours, 100 * ours / bare);
                int left = channel.queueDeclarePassive(queue).getMessageCount();
                if (left != 0) {
                    throw new IllegalStateException(left + " acks were lost with the channel");
                }
            }
            channel.queueDelete(queue);
        }
    }

    private static void fill(Channel channel, String queue, int messages) throws Exception {
        for (int i = 0; i < messages; i++) {
            channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, BODY);
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    /** Acks each message where it is handled, as most programs do. Returns messages per second. */
    private static double bareConsumer(Connection connection, RabbitSettings settings, int messages) throws Exception {
        CountDownLatch left = new CountDownLatch(messages);
        try (Channel channel = connection.createChannel()) {
            channel.basicQos(settings.prefetch());
            long start = System.nanoTime();
            channel.basicConsume(settings.brokerQueue(), false, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                        throws IOException {
                    channel.basicAck(envelope.getDeliveryTag(), false);
                    left.countDown();
                }
            });
            if (!left.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The bare consumer did not get " + left.getCount() + " messages");
            }
            return messages / ((System.nanoTime() - start) / 1e9);
        }
    }

    private static RabbitSource connected(RabbitSettings settings) {
        RabbitSource source = new RabbitSource(settings);
        AckingLoop loop = new AckingLoop(source);
        while (source.leasable().isEmpty()) {
            source.poll(100, loop);
        }
        return source;
    }

    private static double source(RabbitSettings settings, int messages) {
        try (RabbitSource source = connected(settings)) {
            AckingLoop loop = new AckingLoop(source);
            long start = System.nanoTime();
            source.leasable().forEach(source::open);
            while (loop.delivered < messages) {
                source.poll(1_000, loop);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            List.copyOf(source.leasable()).forEach(source::close);
            return messages / seconds;
        }
    }

    /** Acks each delivery at once. */
    private static final class AckingLoop extends IgnoredEvents {
        private final Source source;
        private int delivered;

        AckingLoop(Source source) {
            this.source = source;
        }

        @Override
        public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
            delivered += deliveries.size();
            source.ack(partition, deliveries.stream().map(Delivery::sequence).toList());
        }
    }
}
