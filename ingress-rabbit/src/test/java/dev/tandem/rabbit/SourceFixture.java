package dev.tandem.rabbit;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue of the shared RabbitMQ, and a connection that publishes to it. */
abstract class SourceFixture {

    RabbitSettings settings;
    Channel channel;
    private Connection connection;

    @BeforeEach
    final void connect() throws IOException {
        connection = Brokers.rabbit().connect();
        channel = connection.createChannel();
        channel.confirmSelect();
        String name = UniqueNames.fresh("mail");
        settings = RabbitSettings.of(Brokers.rabbit().uri(), name)
                .withExchange(name + ".in")
                .withPartitions(1);
    }

    @AfterEach
    final void disconnect() throws IOException {
        connection.close();
    }

    /** Publishes messages {@code 0} to {@code count - 1} once the topology exists, and waits for their confirms. */
    final void publish(int count) throws Exception {
        await().ignoreExceptions().until(() -> exists(settings.brokerQueue()) || exists(settings.brokerQueue() + ".0"));
        for (int i = 0; i < count; i++) {
            publish(settings.routingKey(), null, Integer.toString(i));
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    final void publish(RabbitSourceDriver opened, int count) throws Exception {
        opened.roundTrip(opened.partition(0));
        publish(count);
    }

    final void publish(String routingKey, Map<String, Object> headers, String body) throws Exception {
        BasicProperties properties =
                MessageProperties.PERSISTENT_BASIC.builder().headers(headers).build();
        channel.basicPublish(settings.exchange(), routingKey, properties, body.getBytes(StandardCharsets.UTF_8));
    }

    final boolean exists(String queue) throws Exception {
        try (Channel probe = connection.createChannel()) {
            probe.queueDeclarePassive(queue);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    final int waiting(String queue) throws IOException {
        return channel.queueDeclarePassive(queue).getMessageCount();
    }

    static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }
}
