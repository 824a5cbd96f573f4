package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sub-queues: the order within a key, and the move of a partition to the next owner. */
class RabbitOrderedQueueIT extends SourceFixture {

    @Test
    void messagesOfOneKeyKeepTheirOrderInOneSubQueue() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPartitions(4);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(ordered).openAll()) {
            driver.turns();
            for (int i = 0; i < 50; i++) {
                for (int key = 0; key < 20; key++) {
                    publish(ordered.routingKey(), Map.of("tandem-key", "k" + key), "k" + key + "-" + i);
                }
            }
            driver.untilDelivered(1_000);

            Map<String, Partition> partitionOf = new HashMap<>();
            Map<String, List<String>> perKey = new HashMap<>();
            driver.delivered.forEach((partition, deliveries) -> deliveries.forEach(d -> {
                String key = d.task().key();
                assertThat(partitionOf.computeIfAbsent(key, k -> partition)).isEqualTo(partition);
                perKey.computeIfAbsent(key, k -> new ArrayList<>()).add(RabbitSourceDriver.body(d));
            }));
            assertThat(perKey).hasSize(20);
            perKey.forEach((key, bodies) -> assertThat(bodies)
                    .isEqualTo(
                            IntStream.range(0, 50).mapToObj(i -> key + "-" + i).toList()));
            assertThat(driver.delivered.keySet()).as("sub-queues in use").hasSizeGreaterThan(2);
        }
    }

    @Test
    void publishersNeedNoHeaderIfRoutingKeysAreKeys() throws Exception {
        RabbitSettings ordered =
                settings.orderedByRoutingKey(settings.queue() + ".*").withPartitions(4);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(ordered).openAll()) {
            for (int i = 0; i < 5; i++) {
                for (int key = 0; key < 10; key++) {
                    publish(settings.queue() + "." + key, null, "" + i);
                }
            }
            driver.untilDelivered(50);

            Map<String, List<String>> perKey = new HashMap<>();
            driver.delivered.forEach((partition, deliveries) -> deliveries.forEach(
                    d -> perKey.computeIfAbsent(partition + d.task().key(), k -> new ArrayList<>())
                            .add(RabbitSourceDriver.body(d))));
            assertThat(perKey).hasSize(10);
            assertThat(perKey.values()).allMatch(numbers(0, 5)::equals);
        }
    }

    @Test
    void messagesWithoutTheKeyHeaderGoToOneSubQueue() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPartitions(4);
        try (RabbitSourceDriver driver = new RabbitSourceDriver(ordered).openAll()) {
            driver.turns();
            publish(20);
            driver.untilDelivered(20);

            assertThat(driver.delivered.keySet()).hasSize(1);
            assertThat(driver.all()).allMatch(d -> d.task().key() == null);
        }
    }

    @Test
    void theNextOwnerGetsUnackedMessagesFirstOnceTheChannelIsClosed() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPrefetch(4);
        try (RabbitSourceDriver owner = new RabbitSourceDriver(ordered).openAll();
                RabbitSourceDriver next = new RabbitSourceDriver(ordered)) {
            Partition partition = owner.partition(0);
            owner.roundTrip(partition);
            publish(10);
            owner.untilDelivered(4);
            owner.source.ack(partition, List.of(owner.all().get(0).sequence()));
            owner.untilDelivered(5);
            next.openAll();
            next.manyTurns();
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
    void isCaughtUpWhenAllThatEarlierOwnersLeftWasDelivered() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader().withPrefetch(3);
        try (RabbitSourceDriver first = new RabbitSourceDriver(ordered).openAll()) {
            Partition partition = first.partition(0);
            first.roundTrip(partition);
            publish(7);
            first.untilDelivered(3);
            try (RabbitSourceDriver next = new RabbitSourceDriver(ordered).openAll()) {
                next.manyTurns();
                assertThat(next.caughtUp).isEmpty();
                first.source.close(partition);
                next.until("caught up", () -> next.caughtUp.contains(partition));
                // The first prefetch is wide, so it gets all of them.
                next.untilDelivered(7);
                assertThat(next.bodies()).isEqualTo(numbers(0, 7));
                next.ackAll();
                next.manyTurns();
                assertThat(next.caughtUp).hasSize(1);
            }
        }
    }

    @Test
    void isNotCaughtUpWhileAnEarlierOwnerHoldsItsMessages() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader();
        try (RabbitSourceDriver first = new RabbitSourceDriver(ordered).openAll()) {
            Partition partition = first.partition(0);
            first.roundTrip(partition);
            publish(3);
            first.untilDelivered(3);
            try (RabbitSourceDriver next = new RabbitSourceDriver(ordered).openAll()) {
                next.manyTurns();
                assertThat(next.caughtUp)
                        .as("the earlier owner still holds its messages")
                        .isEmpty();

                first.source.close(partition);
                next.until("caught up", () -> next.caughtUp.contains(partition));

                assertThat(next.bodies()).isEqualTo(numbers(0, 3));
            }
        }
    }

    /** As when a publisher, or who moves messages of the ring, repeats what it had sent before it died. */
    @Test
    void messagesThatWerePublishedTwiceAreNotTakenForMessagesThatCameBack() throws Exception {
        RabbitSettings ordered = settings.orderedByHeader();
        try (RabbitSourceDriver first = new RabbitSourceDriver(ordered).openAll()) {
            first.roundTrip(first.partition(0));
            for (int i = 0; i < 40; i++) {
                BasicProperties properties =
                        new BasicProperties.Builder().messageId("m" + i % 20).build();
                channel.basicPublish(settings.exchange(), settings.routingKey(), properties, new byte[] {1});
            }
            channel.waitForConfirmsOrDie(60_000);
            first.untilDelivered(40);
        }
        for (int round = 0; round < 2; round++) {
            try (RabbitSourceDriver next = new RabbitSourceDriver(ordered).openAll()) {
                next.until("caught up", () -> !next.caughtUp.isEmpty());
                assertThat(next.all()).hasSize(40).allMatch(Delivery::redelivered);
                assertThat(next.lost).isEmpty();
            }
        }
    }

    @Test
    void isCaughtUpWithAnEmptyQueue() throws Exception {
        try (RabbitSourceDriver owner = new RabbitSourceDriver(settings.orderedByHeader()).openAll()) {
            Partition partition = owner.partition(0);
            owner.roundTrip(partition);
            owner.until("caught up", () -> owner.caughtUp.contains(partition));
        }
    }
}
