package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Prints how fast the source takes and acks, beside a bare consumer that acks each message. Asserts no time. */
class RabbitThroughputIT {

    private static final int COUNT = Integer.getInteger("tandem.rabbit.count", 15_000);
    private static final byte[] BODY = new byte[200];

    @Test
    void theSourceTakesAndAcksAboutAsFastAsABareConsumer() throws Exception {
        try (Connection connection = Brokers.rabbit().connect();
                Channel channel = connection.createChannel()) {
            for (int round = 1; round <= 2; round++) {
                String uri = Brokers.rabbit().uri();
                RabbitSettings theirs = RabbitSettings.of(uri, UniqueNames.fresh("bare"));
                RabbitSettings ours =
                        RabbitSettings.of(uri, UniqueNames.fresh("ours")).withPartitions(1);
                try (Loop loop = new Loop(ours).connected();
                        Loop declared = new Loop(theirs).connected()) {
                    fill(channel, theirs.brokerQueue());
                    double bare = bare(connection, theirs);
                    fill(channel, ours.brokerQueue());
                    double source = ours(loop);
                    System.out.printf(
                            "RabbitMQ, quorum queue, %d messages of %d bytes, round %d: bare consumer %,.0f/s,"
                                    + " source %,.0f/s (%.0f %%)%n",
                            COUNT, BODY.length, round, bare, source, 100 * source / bare);
                    assertThat(declared.lost).isEmpty();
                }
                assertThat(channel.queueDeclarePassive(ours.brokerQueue()).getMessageCount())
                        .as("acks that the end of the channel lost")
                        .isZero();
                channel.queueDelete(theirs.brokerQueue());
                channel.queueDelete(ours.brokerQueue());
            }
        }
    }

    private static void fill(Channel channel, String queue) throws Exception {
        channel.confirmSelect();
        for (int i = 0; i < COUNT; i++) {
            channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, BODY);
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    /** As most people write it: acks each message where it is handled. */
    private static double bare(Connection connection, RabbitSettings settings) throws Exception {
        CountDownLatch left = new CountDownLatch(COUNT);
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
            assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
            return COUNT / ((System.nanoTime() - start) / 1e9);
        }
    }

    private static double ours(Loop loop) {
        RabbitSource source = loop.source;
        Counting counting = new Counting(source);
        long start = System.nanoTime();
        loop.partitions().forEach(source::open);
        while (counting.count < COUNT) {
            source.poll(1_000, counting);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        loop.partitions().forEach(source::close);
        return COUNT / seconds;
    }

    /** Everything succeeds at once. */
    private static final class Counting implements Source.Events {
        private final Source source;
        private int count;

        Counting(Source source) {
            this.source = source;
        }

        @Override
        public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
            count += deliveries.size();
            source.ack(partition, deliveries.stream().map(Delivery::sequence).toList());
        }

        @Override
        public void assigned(Partition partition, Source.Facts facts) {}

        @Override
        public void committed(Partition partition, long upTo) {}

        @Override
        public void commitFailed(Partition partition, String why) {}

        @Override
        public void confirmed(Partition partition, Source.Facts facts) {}

        @Override
        public void revoked(Collection<Partition> partitions) {}

        @Override
        public void lost(Collection<Partition> partitions) {
            throw new IllegalStateException("Lost " + List.copyOf(partitions));
        }
    }
}
