package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.local.LocalAmqp;
import dev.tandem.rabbit.QueueTopology.Queue;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class RabbitTopologyIT {

    private static final BrokerProduct RABBIT = new BrokerProduct("RabbitMQ", "3.10.8");

    private Connection connection;
    private Channel channel;
    private RabbitSettings settings;

    @BeforeEach
    void connect() throws IOException {
        connection = Brokers.rabbit().connect();
        channel = connection.createChannel();
        String name = UniqueNames.fresh("orders");
        settings = RabbitSettings.of(Brokers.rabbit().uri(), name)
                .withExchange(name + ".in")
                .withPartitions(2);
    }

    @AfterEach
    void disconnect() throws IOException {
        connection.close();
    }

    @Test
    void aSecondProcessAcceptsTheDeclaredTopology() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader();
        try (RabbitSourceDriver first = new RabbitSourceDriver(ordered);
                RabbitSourceDriver second = new RabbitSourceDriver(ordered)) {
            assertThat(second.partitions()).hasSize(2);
            assertThat(first.partitions()).isEqualTo(second.partitions());
        }
        try (RabbitSourceDriver first = new RabbitSourceDriver(settings);
                RabbitSourceDriver second = new RabbitSourceDriver(settings)) {
            assertThat(first.partitions()).isEqualTo(second.partitions());
        }
    }

    @Test
    void usesAllExistingSubQueues() throws Exception {
        try (RabbitSourceDriver three =
                new RabbitSourceDriver(settings.orderedByHeader().withPartitions(3))) {
            assertThat(three.partitions()).hasSize(3);
        }
        try (RabbitSourceDriver one =
                new RabbitSourceDriver(settings.orderedByHeader().withPartitions(1))) {
            assertThat(one.partitions()).hasSize(3);
        }
        try (RabbitSourceDriver four =
                new RabbitSourceDriver(settings.orderedByHeader().withPartitions(4))) {
            assertThat(four.partitions()).hasSize(4);
        }
    }

    @Test
    void refusesASubQueueWithOtherArguments() throws Exception {
        String name = settings.brokerQueue() + ".1";
        Map<String, Object> arguments =
                new HashMap<>(((Queue) QueueTopology.ordered(settings.orderedByHeader(), 1).stream()
                                .filter(p -> p instanceof Queue q && q.name().endsWith(".0"))
                                .findFirst()
                                .orElseThrow())
                        .arguments());
        arguments.remove("x-single-active-consumer");
        channel.queueDeclare(name, true, false, false, arguments);

        assertRefused(
                settings.orderedByHeader(),
                "The queue '" + name + "' exists, but its 'x-single-active-consumer' is",
                "Delete it once it is empty");
    }

    @Test
    void refusesAnExchangeOfAnotherType() throws Exception {
        channel.exchangeDeclare(settings.exchange(), "direct", true);

        assertRefused(settings, "The exchange '" + settings.exchange() + "' exists, but its 'type' is", "'topic'");
    }

    @Test
    void refusesAnotherKindOfKeyThanTheExchangeWasMadeFor() throws Exception {
        try (RabbitSourceDriver byHeader = new RabbitSourceDriver(settings.orderedByHeader())) {
            byHeader.connected();
        }

        assertRefused(
                settings.orderedByRoutingKey("#"),
                "are fed by the exchange '" + settings.brokerQueue() + ".keys', which was made for 'key: header'");
        assertThat(channel.exchangeDeclarePassive(settings.brokerQueue() + ".keys"))
                .isNotNull();
    }

    @Test
    void namesAMissingPluginAndTheCommandThatEnablesIt(@TempDir Path data) throws Exception {
        try (LocalAmqp rabbit =
                Brokers.orSkip(() -> LocalAmqp.builder().rabbitOnly().data(data).start())) {
            rabbit.stop();
            Files.writeString(data.resolve("enabled_plugins"), "[].\n");
            rabbit.start();

            assertRefused(
                    RabbitSettings.of(rabbit.address(), "orders").orderedByHeader(),
                    "needs the exchange type 'x-consistent-hash'",
                    "rabbitmq-plugins enable rabbitmq_consistent_hash_exchange");
        }
    }

    @Test
    void reportsWrongCredentials() {
        String uri = settings.uri().replace("guest:guest", "guest:wrong");

        assertRefused(RabbitSettings.of(uri, "orders"), "the broker refused user or password");
    }

    @Test
    void returnedMessagesAreRedeliveredFirstAndInOrder() throws Exception {
        try (RabbitSourceDriver driver =
                new RabbitSourceDriver(settings.withPartitions(1).withPrefetch(3)).openAll()) {
            driver.roundTrip(driver.partition(0));
            publish(settings.brokerQueue(), 6);
            for (int crash = 0; crash < 3; crash++) {
                driver.untilDelivered(3);
                assertThat(driver.bodies()).containsExactly("0", "1", "2");
                driver.delivered.clear();
                driver.source.rewind(driver.partition(0));
            }
            driver.untilDelivered(3);
            driver.ackAll();
            driver.untilDelivered(6);

            assertThat(driver.bodies()).containsExactly("0", "1", "2", "3", "4", "5");
        }
    }

    @Test
    void messagesOfAHighPriorityOvertakeOthersInTheBroker() throws Exception {
        RabbitSettings withPriorities = settings.withMaxPriority(9).withPartitions(1);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(withPriorities).connected()) {
            publish(settings.brokerQueue(), 3);
            byte[] high = "high".getBytes(StandardCharsets.UTF_8);
            Map<String, String> headers = Map.of(TaskHeaders.PRIORITY, "5");
            try (RabbitPublisher publisher = new RabbitPublisher(List.of(withPriorities))) {
                RabbitPublisherIT.get(publisher.publish(
                        new Task(null, settings.queue(), null, null, high, headers, 0, 0, 0, 0, null)));
            }
            await().until(() -> count(settings.brokerQueue()) == 4);
            driver.openAll();
            driver.untilDelivered(4);

            assertThat(driver.bodies()).containsExactly("high", "0", "1", "2");
        }
        assertRefused(
                settings.withMaxPriority(5),
                "'max-priority: 5' of the queue '" + settings.queue() + "' cannot have effect",
                "x-max-priority",
                "Leave 'max-priority' out to use the queue as it is");
        try (RabbitSourceDriver asItIs = new RabbitSourceDriver(settings)) {
            asItIs.connected();
        }
    }

    @Test
    void keepsRejectedMessagesAsDeadLetters() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            publish(settings.brokerQueue(), 2);
            await().until(() -> count(settings.brokerQueue()) == 2);
            GetResponse first = channel.basicGet(settings.brokerQueue(), false);
            channel.basicReject(first.getEnvelope().getDeliveryTag(), false);

            await().until(() -> count(QueueTopology.deadLetterName(settings)) == 1);
        }
    }

    /** Shows why the limit is high: each end of a channel counts as a delivery of all messages that it held. */
    @Test
    void aLowDeliveryLimitTurnsAWholePrefetchIntoDeadLetters() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            Map<String, Object> arguments =
                    new HashMap<>(QueueTopology.unorderedQueue(settings, RABBIT).arguments());
            arguments.put("x-delivery-limit", 2);
            String low = settings.brokerQueue() + ".low";
            channel.queueDeclare(low, true, false, false, arguments);
            publish(low, 5);
            for (int crash = 0; crash < 3; crash++) {
                await().until(() -> count(low) == 5);
                try (Channel crashing = connection.createChannel()) {
                    List<String> seen = new ArrayList<>();
                    crashing.basicQos(100);
                    crashing.basicConsume(
                            low,
                            false,
                            (tag, d) -> seen.add(new String(d.getBody(), StandardCharsets.UTF_8)),
                            tag -> {});
                    await().until(() -> seen.size() == 5);
                }
            }

            await().until(() -> count(QueueTopology.deadLetterName(settings)) == 5);
            assertThat(count(low)).isZero();
        }
    }

    private static void assertRefused(RabbitSettings refused, String... parts) {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(refused)) {
            driver.until("refused", () -> !driver.source.status().detail().startsWith("not connected yet"));
            assertThat(driver.source.status().connected()).isFalse();
            assertThat(driver.source.status().detail()).contains(parts);
            assertThat(driver.source.leasable()).isEmpty();
        }
    }

    private void publish(String queue, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            channel.basicPublish(
                    "",
                    queue,
                    MessageProperties.PERSISTENT_BASIC,
                    Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        }
    }

    private int count(String queue) throws IOException {
        return channel.queueDeclarePassive(queue).getMessageCount();
    }
}
