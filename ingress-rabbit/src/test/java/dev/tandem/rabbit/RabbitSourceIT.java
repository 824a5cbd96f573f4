package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

class RabbitSourceIT {

    private Connection connection;
    private Channel channel;
    private RabbitSettings settings;

    @BeforeEach
    void connect() throws IOException {
        connection = Brokers.rabbit().connect();
        channel = connection.createChannel();
        channel.confirmSelect();
        String name = UniqueNames.fresh("mail");
        settings = RabbitSettings.of(Brokers.rabbit().uri(), name)
                .withExchange(name + ".in")
                .withPartitions(1);
    }

    @AfterEach
    void disconnect() throws IOException {
        connection.close();
    }

    @Test
    void ackedMessagesAreGoneAndUnackedOnesComeAgainAsTheSame() throws Exception {
        List<Delivery> first;
        try (Loop loop = new Loop(settings).openAll()) {
            publish(10);
            loop.untilDelivered(10);
            first = List.copyOf(loop.all());
            assertThat(loop.bodies()).isEqualTo(numbers(0, 10));
            assertThat(first).noneMatch(Delivery::redelivered);
            loop.source.ack(
                    loop.partition(0),
                    first.subList(0, 6).stream().map(Delivery::sequence).toList());
        }
        try (Loop loop = new Loop(settings).openAll()) {
            loop.untilDelivered(4);

            assertThat(loop.bodies()).isEqualTo(numbers(6, 10));
            assertThat(loop.all()).allMatch(Delivery::redelivered);
            assertThat(loop.all().stream().map(Delivery::identity))
                    .containsExactlyElementsOf(first.subList(6, 10).stream()
                            .map(Delivery::identity)
                            .toList());
            loop.ackAll();
            loop.turns();
        }
        assertThat(waiting(settings.brokerQueue())).isZero();
    }

    @Test
    void prefetchIsTheCredit() throws Exception {
        try (Loop loop = new Loop(settings.withPrefetch(8)).openAll()) {
            publish(20);
            loop.untilDelivered(8);
            loop.settle(loop.partition(0));
            assertThat(loop.all()).hasSize(8);

            loop.source.ack(
                    loop.partition(0),
                    loop.all().subList(0, 3).stream().map(Delivery::sequence).toList());
            loop.untilDelivered(11);
            loop.settle(loop.partition(0));

            assertThat(loop.all()).hasSize(11);
        }
    }

    @Test
    void aPausedPartitionDeliversNothingUntilItIsResumed() throws Exception {
        try (Loop loop = new Loop(settings).openAll()) {
            publish(1);
            loop.untilDelivered(1);
            loop.source.pause(loop.partition(0));
            publish(5);
            loop.settle(loop.partition(0));
            assertThat(loop.all()).hasSize(1);

            loop.source.resume(loop.partition(0));

            loop.untilDelivered(6);
        }
    }

    @Test
    void everyPartitionOfAnUnorderedQueueCompetesForItsMessages() throws Exception {
        try (Loop loop = new Loop(settings.withPartitions(4).withPrefetch(5)).openAll()) {
            publish(20);
            loop.untilDelivered(20);

            assertThat(loop.partitions())
                    .hasSize(4)
                    .allSatisfy(p -> assertThat(loop.of(p)).hasSize(5));
            assertThat(loop.bodies()).containsExactlyInAnyOrderElementsOf(numbers(0, 20));
        }
    }

    /** Single acks are the many commands that RabbitMQ's channel holds back, and loses if it is closed too soon. */
    @Test
    void anOrderlyCloseLosesNoAck() throws Exception {
        int count = 2_000;
        for (int round = 0; round < 5; round++) {
            try (Loop loop = new Loop(settings).openAll()) {
                publish(count);
                loop.untilDelivered(count);
                List<Long> all = loop.all().stream().map(Delivery::sequence).toList();
                loop.source.ack(loop.partition(0), all.subList(1, count));
                loop.source.close(loop.partition(0));
            }
            await().until(() -> waiting(settings.brokerQueue()) > 0);
            assertThat(waiting(settings.brokerQueue())).as("round %d", round).isEqualTo(1);
            channel.queuePurge(settings.brokerQueue());
        }
    }

    @Test
    void afterARewindAllThatWasNotAckedComesAgainAndOldTagsAckNothing() throws Exception {
        try (Loop loop = new Loop(settings).openAll()) {
            publish(3);
            loop.untilDelivered(3);
            List<Delivery> old = List.copyOf(loop.all());
            loop.delivered.clear();

            loop.source.rewind(loop.partition(0));
            loop.untilDelivered(3);
            loop.source.ack(
                    loop.partition(0), old.stream().map(Delivery::sequence).toList());
            loop.turns();

            assertThat(loop.bodies()).isEqualTo(numbers(0, 3));
            assertThat(loop.all()).allMatch(Delivery::redelivered);
        }
        await().until(() -> waiting(settings.brokerQueue()) == 3);
    }

    @Test
    void aMessageOutsideOfTheNormIsDeliveredAsUnreadableWithItsReason() throws Exception {
        try (Loop loop = new Loop(settings.withMaxPayload(10)).openAll()) {
            publish(settings.routingKey(), null, "far more than ten bytes");
            loop.untilDelivered(1);

            assertThat(loop.all().get(0).unreadable()).contains("over the limit of 10 bytes");
            assertThat(loop.bodies()).containsExactly("far more than ten bytes");
        }
    }

    @Test
    void aCutConnectionLosesThePartitionsAndHealsByItself() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                Loop loop = new Loop(through(wire)).openAll()) {
            publish(3);
            loop.untilDelivered(3);
            Partition partition = loop.partition(0);
            loop.source.ack(partition, List.of(loop.all().get(0).sequence()));
            loop.settle(partition);
            List<Delivery> old = List.copyOf(loop.all());
            loop.delivered.clear();

            wire.cut();
            loop.until("lost", () -> loop.lost.contains(partition));
            assertThat(loop.source.status().connected()).isFalse();
            loop.openAll();
            loop.untilDelivered(2);
            loop.source.ack(partition, old.stream().map(Delivery::sequence).toList());
            loop.settle(partition);

            assertThat(loop.source.status().connected()).isTrue();
            assertThat(loop.bodies()).isEqualTo(numbers(1, 3));
            assertThat(loop.all()).allMatch(Delivery::redelivered);
            assertThat(loop.lost).containsExactly(partition);
        }
        await().until(() -> waiting(settings.brokerQueue()) == 2);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aBrokerThatHangsIsNoticedAndTheLoopIsNeverHeldUp() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                Loop loop = new Loop(through(wire)).openAll()) {
            publish(100);
            loop.untilDelivered(100);
            Partition partition = loop.partition(0);

            wire.freeze();
            loop.source.confirm(partition);
            loop.ackAll();
            loop.until("noticed", () -> !loop.source.status().connected()); // Two heartbeats later.
            assertThat(loop.lost).contains(partition);

            assertThat(loop.confirmed).isEmpty();
            assertThat(loop.longestPoll())
                    .as("ms in one poll that may take 100")
                    .isLessThan(5_000);
            wire.thaw();
            loop.openAll();
            loop.settle(partition);
            assertThat(loop.source.status().connected()).isTrue();
        }
    }

    @Test
    void anUnreachableBrokerIsWaitedForAndTheStatusSaysSo() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri())) {
            wire.down();
            try (Loop loop = new Loop(through(wire))) {
                loop.until("tried", () -> loop.source.status().detail().contains("can't be reached"));
                assertThat(loop.source.leasable()).isEmpty();
                Partition early = Partition.of(settings.queue(), 0);
                loop.source.open(early);
                loop.until("told", () -> loop.lost.contains(early));

                wire.up();
                publish(loop.openAll(), 1);

                loop.untilDelivered(1);
                assertThat(loop.source.status().connected()).isTrue();
                assertThat(loop.source.status().detail()).startsWith("connected to RabbitMQ ");
            }
        }
    }

    @Test
    void confirmationIsARoundTripAndALostConnectionIsNone() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                Loop loop = new Loop(through(wire)).connected()) {
            Partition partition = loop.partition(0);
            loop.source.confirm(partition);
            loop.until("confirmed before it is open", () -> loop.confirmed.contains(partition));
            loop.confirmed.clear();
            loop.source.open(partition);
            loop.settle(partition);
            loop.confirmed.clear();

            wire.down();
            loop.source.confirm(partition);
            loop.until("lost", () -> loop.lost.contains(partition));

            assertThat(loop.confirmed).isEmpty();
        }
    }

    @Test
    void aChannelThatTheBrokerClosesIsLostAloneAndMayBeOpenedAgain() throws Exception {
        try (Loop loop = new Loop(settings.withPartitions(2)).openAll()) {
            Partition broken = loop.partition(0);
            loop.settle(broken);
            loop.settle(loop.partition(1));
            loop.source.consuming(broken).basicAck(999, false); // PRECONDITION_FAILED, as with consumer_timeout

            loop.until("lost", () -> loop.lost.contains(broken));
            assertThat(loop.lost).containsExactly(broken);
            assertThat(loop.source.status().connected()).isTrue();
            loop.source.open(broken);
            loop.settle(broken);
            publish(10);
            loop.untilDelivered(10);

            assertThat(loop.delivered.keySet()).containsExactlyInAnyOrderElementsOf(loop.partitions());
        }
    }

    @Test
    void aDeletedQueueIsMadeAgain() throws Exception {
        try (Loop loop = new Loop(settings).openAll()) {
            publish(1);
            loop.untilDelivered(1);

            channel.queueDelete(settings.brokerQueue());
            loop.until("lost", () -> loop.lost.contains(loop.partition(0)));
            loop.openAll();
            publish(loop, 1);

            loop.untilDelivered(2);
        }
    }

    @Test
    void anExistingQueueIsUsedAsItIs() throws Exception {
        channel.queueDeclare(settings.brokerQueue(), true, false, false, Map.of("x-max-priority", 5));
        channel.basicPublish(
                "",
                settings.brokerQueue(),
                MessageProperties.PERSISTENT_BASIC,
                "theirs".getBytes(StandardCharsets.UTF_8));

        try (Loop loop = new Loop(settings).openAll()) {
            publish(loop, 1);
            loop.untilDelivered(2);

            assertThat(loop.bodies()).containsExactlyInAnyOrder("theirs", "0");
            assertThat(exists(Topology.deadLetterName(settings))).isFalse();
        }
    }

    @Test
    void messagesOfOneKeyKeepTheirOrderInOneSubQueue() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPartitions(4);
        try (Loop loop = new Loop(ordered).openAll()) {
            loop.turns();
            for (int i = 0; i < 50; i++) {
                for (int key = 0; key < 20; key++) {
                    publish(ordered.routingKey(), Map.of("tandem-key", "k" + key), "k" + key + "-" + i);
                }
            }
            loop.untilDelivered(1_000);

            Map<String, Partition> partitionOf = new HashMap<>();
            Map<String, List<String>> perKey = new HashMap<>();
            loop.delivered.forEach((partition, deliveries) -> deliveries.forEach(d -> {
                String key = d.task().key();
                assertThat(partitionOf.computeIfAbsent(key, k -> partition)).isEqualTo(partition);
                perKey.computeIfAbsent(key, k -> new ArrayList<>()).add(Loop.body(d));
            }));
            assertThat(perKey).hasSize(20);
            perKey.forEach((key, bodies) -> assertThat(bodies)
                    .isEqualTo(
                            IntStream.range(0, 50).mapToObj(i -> key + "-" + i).toList()));
            assertThat(loop.delivered.keySet()).as("keys are spread").hasSizeGreaterThan(2);
        }
    }

    @Test
    void withRoutingKeysAsKeysPublishersNeedNoHeader() throws Exception {
        RabbitSettings ordered =
                settings.orderedByRoutingKey(settings.queue() + ".*").withPartitions(4);
        try (Loop loop = new Loop(ordered).openAll()) {
            for (int i = 0; i < 5; i++) {
                for (int key = 0; key < 10; key++) {
                    publish(settings.queue() + "." + key, null, "" + i);
                }
            }
            loop.untilDelivered(50);

            Map<String, List<String>> perKey = new HashMap<>();
            loop.delivered.forEach((partition, deliveries) -> deliveries.forEach(
                    d -> perKey.computeIfAbsent(partition + d.task().key(), k -> new ArrayList<>())
                            .add(Loop.body(d))));
            assertThat(perKey).hasSize(10);
            assertThat(perKey.values()).allMatch(numbers(0, 5)::equals);
        }
    }

    @Test
    void messagesWithoutTheKeyHeaderAllGoToOneSubQueue() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPartitions(4);
        try (Loop loop = new Loop(ordered).openAll()) {
            loop.turns();
            publish(20);
            loop.untilDelivered(20);

            assertThat(loop.delivered.keySet()).hasSize(1);
            assertThat(loop.all()).allMatch(d -> d.task().key() == null);
        }
    }

    @Test
    void theNextOwnerGetsNothingBeforeTheChannelIsClosedAndThenAllThatWasNotAckedFirst() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPrefetch(4);
        try (Loop owner = new Loop(ordered).openAll();
                Loop next = new Loop(ordered)) {
            Partition partition = owner.partition(0);
            owner.settle(partition);
            publish(10);
            owner.untilDelivered(4);
            owner.source.ack(partition, List.of(owner.all().get(0).sequence()));
            owner.untilDelivered(5);
            next.openAll();
            next.looks();
            assertThat(next.all()).isEmpty();

            owner.source.close(partition);
            next.untilDelivered(4);
            next.source.ack(
                    partition, next.all().stream().map(Delivery::sequence).toList());
            next.untilDelivered(8);
            next.source.ack(
                    partition, next.all().stream().map(Delivery::sequence).toList());
            next.untilDelivered(9);

            assertThat(next.bodies()).isEqualTo(numbers(1, 10));
            assertThat(next.all().stream().map(Delivery::redelivered))
                    .containsExactly(true, true, true, true, false, false, false, false, false);
            assertThat(owner.lost).isEmpty();
        }
    }

    @Test
    void anOwnerIsCaughtUpWhenAllThatEarlierOnesLeftWasDelivered() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPrefetch(3);
        try (Loop first = new Loop(ordered).openAll()) {
            Partition partition = first.partition(0);
            first.settle(partition);
            publish(7);
            first.untilDelivered(3);
            try (Loop next = new Loop(ordered).openAll()) {
                next.looks();
                assertThat(next.caughtUp).isEmpty();
                first.source.close(partition);
                next.untilDelivered(3);
                next.turns();
                assertThat(next.caughtUp).as("more may be left").isEmpty();
                next.ackAll();
                next.untilDelivered(6);
                next.until("caught up", () -> next.caughtUp.contains(partition));

                assertThat(next.bodies()).isEqualTo(numbers(0, 6));
                next.turns();
                assertThat(next.caughtUp).hasSize(1);
            }
        }
    }

    @Test
    void anOwnerIsNotCaughtUpWhileAnEarlierOneHasAllThatIsLeft() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader();
        try (Loop first = new Loop(ordered).openAll()) {
            Partition partition = first.partition(0);
            first.settle(partition);
            publish(3);
            first.untilDelivered(3);
            try (Loop next = new Loop(ordered).openAll()) {
                next.looks();
                assertThat(next.caughtUp).as("its messages are not back yet").isEmpty();

                first.source.close(partition);
                next.until("caught up", () -> next.caughtUp.contains(partition));

                assertThat(next.bodies()).isEqualTo(numbers(0, 3));
            }
        }
    }

    @Test
    void anOwnerIsCaughtUpWithAnEmptyQueue() throws Exception {
        try (Loop owner = new Loop(settings.orderedByHeader()).openAll()) {
            Partition partition = owner.partition(0);
            owner.settle(partition);
            owner.until("caught up", () -> owner.caughtUp.contains(partition));
        }
    }

    // ---- helpers

    private RabbitSettings through(BrokerProxy wire) {
        return RabbitSettings.of(wire.uri(), settings.queue())
                .withExchange(settings.exchange())
                .withPartitions(settings.partitions());
    }

    /** Messages {@code 0} to {@code count - 1}, confirmed, once the topology is there. */
    private void publish(int count) throws Exception {
        await().ignoreExceptions().until(() -> exists(settings.brokerQueue()) || exists(settings.brokerQueue() + ".0"));
        for (int i = 0; i < count; i++) {
            publish(settings.routingKey(), null, Integer.toString(i));
        }
        channel.waitForConfirmsOrDie(10_000);
    }

    private void publish(Loop opened, int count) throws Exception {
        opened.settle(opened.partition(0));
        publish(count);
    }

    private void publish(String routingKey, Map<String, Object> headers, String body) throws Exception {
        BasicProperties properties =
                MessageProperties.PERSISTENT_BASIC.builder().headers(headers).build();
        channel.basicPublish(settings.exchange(), routingKey, properties, body.getBytes(StandardCharsets.UTF_8));
    }

    private boolean exists(String queue) throws Exception {
        try (Channel probe = connection.createChannel()) {
            probe.queueDeclarePassive(queue);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private int waiting(String queue) throws IOException {
        return channel.queueDeclarePassive(queue).getMessageCount();
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }
}
