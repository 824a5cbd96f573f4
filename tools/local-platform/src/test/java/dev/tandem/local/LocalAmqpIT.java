package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LocalAmqpIT {

    @Test
    void killedRabbitRestartsOnItsPortWithItsMessagesAndPlugin() throws Exception {
        try (LocalAmqp rabbit = rabbit()) {
            assertThat(rabbit.isRabbit()).isTrue();
            assertThat(rabbit.product()).matches("RabbitMQ \\d+\\.\\d+\\.\\d+");
            try (Connection connection = connect(rabbit);
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                channel.queueDeclare("orders", true, false, false, Map.of("x-queue-type", "quorum"));
                publish(channel, "kept");
            }

            awaitQueueOnDisk(rabbit);
            rabbit.kill();
            assertThat(rabbit.isRunning()).isFalse();
            rabbit.start();

            assertThat(rabbit.control("-q", "list_queues", "name")).contains("orders");
            assertThatThrownBy(() -> rabbit.control("dance"))
                    .isInstanceOf(LocalException.class)
                    .hasMessageContaining("rabbitmqctl dance ended with status");
            assertThat(read(rabbit)).isEqualTo("kept");
            try (Connection connection = connect(rabbit);
                    Channel channel = connection.createChannel()) {
                assertThat(channel.exchangeDeclare("spread", "x-consistent-hash", true))
                        .isNotNull();
            }
        }
    }

    @Test
    void fallsBackToQpidWhereThereIsNoRabbit() throws Exception {
        try (LocalAmqp qpid = LocalAmqp.builder().mode(LocalMode.EMBEDDED).start()) {
            assertThat(qpid.isRabbit()).isFalse();
            assertThat(qpid.product()).isEqualTo("Qpid Broker-J 10.1.0");
            try (Connection connection = connect(qpid);
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                channel.queueDeclare("orders", true, false, false, Map.of());
                publish(channel, "taken");
            }
            assertThat(read(qpid)).isEqualTo("taken");
            assertThatThrownBy(() -> qpid.control("status")).hasMessageContaining("There is no rabbitmqctl for Qpid");
        }
    }

    @Test
    void doesNotFallBackWhenOnlyRabbitWillDo() {
        assertThatThrownBy(() -> LocalAmqp.builder()
                        .mode(LocalMode.EMBEDDED)
                        .rabbitOnly()
                        .start())
                .isInstanceOf(MissingBrokerException.class)
                .hasMessageContaining("TANDEM_LOCAL=embedded");
    }

    /**
     * RabbitMQ writes the names of quorum queues twice a second. A crash loses a queue whose name is not written yet.
     */
    private static void awaitQueueOnDisk(LocalAmqp rabbit) {
        await().until(() -> {
            try (Stream<Path> files = Files.walk(rabbit.log().resolveSibling("data"))) {
                return files.filter(file -> file.endsWith("names.dets")).anyMatch(file -> contains(file, "_orders"));
            }
        });
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    private static LocalAmqp rabbit() {
        try {
            return LocalAmqp.builder().mode(LocalMode.PROCESS).rabbitOnly().start();
        } catch (MissingBrokerException e) {
            if (Boolean.parseBoolean(System.getenv("CI"))) {
                throw e;
            }
            return abort(e.getMessage());
        }
    }

    private static void publish(Channel channel, String body) throws Exception {
        channel.basicPublish("", "orders", MessageProperties.PERSISTENT_BASIC, body.getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirmsOrDie(10_000);
    }

    private static String read(LocalAmqp broker) throws Exception {
        try (Connection connection = connect(broker);
                Channel channel = connection.createChannel()) {
            GetResponse response = channel.basicGet("orders", true);
            return response == null ? "nothing" : new String(response.getBody(), StandardCharsets.UTF_8);
        }
    }

    private static Connection connect(LocalAmqp broker) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.address());
        return factory.newConnection();
    }
}
