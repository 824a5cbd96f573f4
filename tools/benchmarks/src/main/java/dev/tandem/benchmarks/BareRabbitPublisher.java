package dev.tandem.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.rabbit.RabbitSettings;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * RabbitMQ's own client with confirms, and as many unconfirmed messages as Tandem's client allows. The messages
 * have what Tandem's client gives them.
 */
final class BareRabbitPublisher implements TaskFlood {

    private static final int MAX_UNCONFIRMED = 5_000;

    private final Connection connection;
    private final Channel channel;
    private final RabbitSettings settings;
    private final byte[] payload;
    private final Semaphore permits = new Semaphore(MAX_UNCONFIRMED);

    /** As in RabbitMQ's tutorial. */
    private final NavigableSet<Long> unconfirmed = new ConcurrentSkipListSet<>();

    private volatile Acknowledgements acknowledgements = new Acknowledgements(0);

    BareRabbitPublisher(RabbitSettings settings, byte[] payload) throws Exception {
        this.settings = settings;
        this.payload = payload;
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(settings.uri());
        connection = factory.newConnection("tandem-bench");
        channel = connection.createChannel();
        channel.confirmSelect();
        channel.addConfirmListener(
                (tag, multiple) -> confirmed(tag, multiple, null),
                (tag, multiple) -> confirmed(tag, multiple, new IllegalStateException("RabbitMQ refused a message")));
    }

    private void confirmed(long tag, boolean multiple, @Nullable Exception problem) {
        Collection<Long> confirmed = multiple ? List.copyOf(unconfirmed.headSet(tag, true)) : List.of(tag);
        confirmed.forEach(unconfirmed::remove);
        confirmed.forEach(each -> acknowledgements.one(problem));
        permits.release(confirmed.size());
    }

    @Override
    public void publish(int tasks, Acknowledgements expected) throws Exception {
        acknowledgements = expected;
        BasicProperties persistent = MessageProperties.PERSISTENT_BASIC;
        for (int i = 0; i < tasks; i++) {
            BasicProperties properties = persistent
                    .builder()
                    .messageId("5b2c4c6e-9f5f-4b7d-8f5e-0d9f5a1b2c3d:" + i)
                    .contentType("application/octet-stream")
                    .timestamp(new Date())
                    .headers(Map.of(
                            "tandem-id",
                            "1f2e3d4c5b6a7-" + Long.toString(i, Character.MAX_RADIX),
                            "tandem-type",
                            "ship",
                            "tandem-key",
                            "k" + i,
                            "timestamp_in_ms",
                            System.currentTimeMillis()))
                    .build();
            permits.acquire();
            unconfirmed.add(channel.getNextPublishSeqNo());
            channel.basicPublish(settings.exchange(), settings.routingKey(), true, properties, payload);
        }
    }

    @Override
    public void close() throws Exception {
        connection.close();
    }
}
