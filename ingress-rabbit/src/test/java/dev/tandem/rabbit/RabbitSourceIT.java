package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.MessageProperties;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Delivering, acking, pausing and rewinding. */
class RabbitSourceIT extends SourceFixture {

    @Test
    void redeliversOnlyUnackedMessagesWithTheSameIdentity() throws Exception {
        List<Delivery> first;
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(10);
            driver.untilDelivered(10);
            first = List.copyOf(driver.all());
            assertThat(driver.bodies()).isEqualTo(numbers(0, 10));
            assertThat(first).noneMatch(Delivery::redelivered);
            driver.source.ack(
                    driver.partition(0),
                    first.subList(0, 6).stream().map(Delivery::sequence).toList());
        }
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            driver.untilDelivered(4);

            assertThat(driver.bodies()).isEqualTo(numbers(6, 10));
            assertThat(driver.all()).allMatch(Delivery::redelivered);
            assertThat(driver.all().stream().map(Delivery::identity))
                    .containsExactlyElementsOf(first.subList(6, 10).stream()
                            .map(Delivery::identity)
                            .toList());
            driver.ackAll();
            driver.turns();
        }
        assertThat(waiting(settings.brokerQueue())).isZero();
    }

    @Test
    void prefetchLimitsUnackedDeliveries() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings.withPrefetch(8)).openAll()) {
            publish(20);
            driver.untilDelivered(8);
            driver.roundTrip(driver.partition(0));
            assertThat(driver.all()).hasSize(8);

            driver.source.ack(
                    driver.partition(0),
                    driver.all().subList(0, 3).stream().map(Delivery::sequence).toList());
            driver.untilDelivered(11);
            driver.roundTrip(driver.partition(0));

            assertThat(driver.all()).hasSize(11);
        }
    }

    @Test
    void aPausedPartitionDeliversNothingUntilItIsResumed() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(1);
            driver.untilDelivered(1);
            driver.source.pause(driver.partition(0));
            publish(5);
            driver.roundTrip(driver.partition(0));
            assertThat(driver.all()).hasSize(1);

            driver.source.resume(driver.partition(0));

            driver.untilDelivered(6);
        }
    }

    @Test
    void everyPartitionOfAnUnorderedQueueCompetesForItsMessages() throws Exception {
        try (RabbitSourceDriver driver =
                new RabbitSourceDriver(settings.withPartitions(4).withPrefetch(5)).openAll()) {
            publish(20);
            driver.untilDelivered(20);

            assertThat(driver.partitions())
                    .hasSize(4)
                    .allSatisfy(p -> assertThat(driver.of(p)).hasSize(5));
            assertThat(driver.bodies()).containsExactlyInAnyOrderElementsOf(numbers(0, 20));
        }
    }

    @Test
    void anOrderlyCloseLosesNoAck() throws Exception {
        int count = 2_000;
        for (int round = 0; round < 5; round++) {
            try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
                publish(count);
                driver.untilDelivered(count);
                List<Long> all = driver.all().stream().map(Delivery::sequence).toList();
                driver.source.ack(driver.partition(0), all.subList(1, count));
                driver.source.close(driver.partition(0));
            }
            await().until(() -> waiting(settings.brokerQueue()) > 0);
            assertThat(waiting(settings.brokerQueue())).as("round %d", round).isEqualTo(1);
            channel.queuePurge(settings.brokerQueue());
        }
    }

    @Test
    void losesNoAckOfALongBacklog() throws Exception {
        int count = 15_000;
        for (int round = 1; round <= 2; round++) {
            try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
                publish(count);
                Partition partition = driver.partition(0);
                AtomicInteger acked = new AtomicInteger();
                driver.until("all acked", () -> {
                    List<Delivery> all = driver.of(partition);
                    driver.source.ack(
                            partition,
                            all.subList(acked.get(), all.size()).stream()
                                    .map(Delivery::sequence)
                                    .toList());
                    acked.set(all.size());
                    return acked.get() == count;
                });
                driver.source.close(partition);
                assertThat(driver.lost).isEmpty();
            }
            assertThat(waiting(settings.brokerQueue()))
                    .as("messages whose acks were lost, round %d", round)
                    .isZero();
        }
    }

    @Test
    void aRewindRedeliversWhatWasNotAckedAndIgnoresOldAcks() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(3);
            driver.untilDelivered(3);
            List<Delivery> old = List.copyOf(driver.all());
            driver.delivered.clear();

            driver.source.rewind(driver.partition(0));
            driver.untilDelivered(3);
            driver.source.ack(
                    driver.partition(0), old.stream().map(Delivery::sequence).toList());
            driver.turns();

            assertThat(driver.bodies()).isEqualTo(numbers(0, 3));
            assertThat(driver.all()).allMatch(Delivery::redelivered);
        }
        await().until(() -> waiting(settings.brokerQueue()) == 3);
    }

    @Test
    void deliversAnUnreadableMessageWithTheReason() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings.withMaxPayload(10)).openAll()) {
            publish(settings.routingKey(), null, "far more than ten bytes");
            driver.untilDelivered(1);

            assertThat(driver.all().get(0).unreadable()).contains("over the limit of 10 bytes");
            assertThat(driver.bodies()).containsExactly("far more than ten bytes");
        }
    }

    @Test
    void usesAnExistingQueueAsItIs() throws Exception {
        channel.queueDeclare(settings.brokerQueue(), true, false, false, Map.of("x-max-priority", 5));
        channel.basicPublish(
                "",
                settings.brokerQueue(),
                MessageProperties.PERSISTENT_BASIC,
                "theirs".getBytes(StandardCharsets.UTF_8));

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(driver, 1);
            driver.untilDelivered(2);

            assertThat(driver.bodies()).containsExactlyInAnyOrder("theirs", "0");
            assertThat(exists(QueueTopology.deadLetterName(settings))).isFalse();
        }
    }
}
