package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
    void anExamNamesWhatIsNotAsTandemDeclaresItAndChangesNothing() throws Exception {
        assertThat(QueueExam.of(connection, settings)).isNotEmpty().noneMatch(QueueExam.Look::exists);
        assertThat(QueueExam.of(connection, settings))
                .as("the first declared nothing")
                .noneMatch(QueueExam.Look::exists);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings)) {
            assertThat(driver.partitions()).isNotEmpty();
            assertThat(QueueExam.of(connection, settings))
                    .allMatch(look -> look.exists() && look.refusal().isEmpty());
        }
        RabbitSettings other = RabbitSettings.of(Brokers.rabbit().uri(), UniqueNames.fresh("expiring"));
        Map<String, Object> expiring =
                new HashMap<>(QueueTopology.unorderedQueue(other, RABBIT).arguments());
        expiring.put("x-message-ttl", 60_000);
        channel.queueDeclare(other.brokerQueue(), true, false, false, expiring);
        assertThat(QueueExam.of(connection, other))
                .filteredOn(QueueExam.Look::exists)
                .singleElement()
                .satisfies(look -> assertThat(look.difference()).isEqualTo("x-message-ttl"));
        assertThat(QueueExam.Broker.of(connection).supported()).isTrue();
    }

    /** A queue that is deleted while the doctor looks would come back, empty and without bindings. */
    @Test
    void anExamDeclaresNoQueueThatIsDeletedMeanwhile() throws Exception {
        for (Queue queue : Stream.concat(
                        QueueTopology.unordered(settings, RABBIT, false).stream(),
                        QueueTopology.ordered(settings.orderedByHeader(), 1).stream())
                .filter(Queue.class::isInstance)
                .map(Queue.class::cast)
                .toList()) {
            DeclareChannel declaring = new DeclareChannel(connection);
            IOException refusal = QueueExam.compare(declaring, queue.name(), queue.arguments());

            assertThat(BrokerErrors.replyText(refusal)).contains("x-max-age");
            assertThat(DeclareRefusals.differingArgument(refusal)).isEmpty();
            assertThat(declaring.attempt(c -> c.queueDeclarePassive(queue.name())))
                    .as(queue.name())
                    .satisfies(missing ->
                            assertThat(BrokerErrors.replyCode(missing)).isEqualTo(BrokerErrors.NOT_FOUND));
            declaring.close();
        }
    }

    @Test
    void queuesThatAnotherOrderingHasLeftAreNamedUntilTheyAreGone() throws Exception {
        try (RabbitSourceDriver ordered = new RabbitSourceDriver(settings.orderedByHeader())) {
            ordered.connected();
            assertThat(ordered.source.status().forgotten()).isNull();
            assertThat(QueueExam.forgotten(connection, settings.orderedByHeader()))
                    .isEmpty();
        }
        String first = settings.brokerQueue() + ".0";
        channel.confirmSelect();
        channel.basicPublish("", first, MessageProperties.BASIC, new byte[] {1});
        channel.waitForConfirms();
        try (RabbitSourceDriver plain = new RabbitSourceDriver(settings)) {
            plain.connected();
            assertThat(plain.source.status().forgotten())
                    .startsWith("2 queues stand, '" + first + "' to '")
                    .contains("beside '" + settings.brokerQueue() + "'", "1 message waits there");
            assertThat(QueueExam.forgotten(connection, settings))
                    .hasValueSatisfying(left -> assertThat(left.ready()).isEqualTo(1));

            channel.queueDelete(first);
            channel.queueDelete(settings.brokerQueue() + ".1");
            plain.until("gone", () -> plain.source.status().forgotten() == null);
        }
        try (RabbitSourceDriver ordered = new RabbitSourceDriver(settings.orderedByHeader())) {
            ordered.connected();
            assertThat(ordered.source.status().forgotten())
                    .startsWith("the queue '" + settings.brokerQueue() + "' stands beside '" + first + "' and further")
                    .contains("If 'ordering: none' made it");
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
    void namesAMissingPluginAndTheCommandThatEnablesIt() {
        try (LocalAmqp rabbit =
                Brokers.orSkip(() -> LocalAmqp.builder().withoutHashExchange().start())) {
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
        assertHighPriorityComesFirst(settings.withMaxPriority(9).withPartitions(1));
        assertRefused(
                settings.withMaxPriority(5),
                "'max-priority: 5' of the queue '" + settings.queue() + "' cannot have effect",
                "x-max-priority",
                "Leave 'max-priority' out to use the queue as it is");
        try (RabbitSourceDriver asItIs = new RabbitSourceDriver(settings)) {
            asItIs.connected();
        }
    }

    /** Two priorities, which the quorum queues of RabbitMQ have from version 4 on. */
    @Test
    void messagesOfAHighPriorityOvertakeOthersInTheQuorumQueuesOfRabbitMq4() throws Exception {
        String version =
                channel.getConnection().getServerProperties().get("version").toString();
        assumeTrue(
                Integer.parseInt(version.replaceFirst("\\D.*", "")) >= 4,
                "This is RabbitMQ " + version + ", whose quorum queues know no priorities");
        assertHighPriorityComesFirst(settings.withPartitions(1));
    }

    private void assertHighPriorityComesFirst(RabbitSettings withPriorities) throws Exception {
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
