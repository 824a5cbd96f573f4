package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that stays unacked for long, as one does whose key has no more room in the store. */
class RabbitPinnedIT extends SourceFixture {

    private static final int MESSAGES = 60;
    private static final int LOWERED = 5;
    private static final String PINNED = "2";
    private static final long DRAIN_MILLIS = ChannelReopening.DRAIN_NANOS / 1_000_000;

    private final ManualClock clock = new ManualClock();
    /** The acked messages, in the order of their acks. */
    private final List<String> acked = new ArrayList<>();

    @Test
    void doesNotKeepALoweredPrefetchFromDelivering() throws Exception {
        settings = settings.orderedByHeader();
        leaveInQueue(MESSAGES);
        RabbitSettings lowered = settings.withPrefetch(LOWERED);
        try (RabbitSourceDriver driver = open(lowered, MemoryBudget.ofHeap())) {
            Partition partition = driver.partition(0);
            driver.until("all but the pinned one acked", () -> {
                ackAllBut(driver, partition);
                return acked.size() == MESSAGES - 1;
            });
            driver.manyTurns();
            publish(numbers(MESSAGES, 2 * MESSAGES));
            driver.manyTurns();
            assertThat(driver.lost).isEmpty();
            assertThat(acked).as("while it drains").hasSize(MESSAGES - 1);

            clock.advanceMillis(DRAIN_MILLIS);
            driver.until("the channel is given up", () -> !driver.lost.isEmpty());
            driver.lost.clear();
            driver.delivered.clear();
            driver.source.open(partition);
            driver.until("the messages behind the pinned one", () -> {
                ackAllBut(driver, partition);
                return acked.size() == 2 * MESSAGES - 1;
            });

            assertThat(driver.lost).as("no second wait so soon").isEmpty();
            assertThat(driver.of(partition))
                    .extracting(RabbitSourceDriver::body)
                    .containsExactly(PINNED);
            assertThat(acked.subList(MESSAGES - 1, acked.size())).isEqualTo(numbers(MESSAGES, 2 * MESSAGES));
            ackAll(driver, partition);
            driver.manyTurns();
        }
        assertThat(waiting(RabbitSettings.subQueueName(settings.brokerQueue(), 0)))
                .isZero();
    }

    @Test
    void returnsWithAllBehindItInOrder() throws Exception {
        settings = settings.orderedByHeader();
        leaveInQueue(MESSAGES);
        try (RabbitSourceDriver driver = open(settings.withPrefetch(LOWERED), MemoryBudget.ofHeap())) {
            Partition partition = driver.partition(0);
            driver.untilDelivered(MESSAGES);
            // Every third one is acked, so that the others are returned with gaps.
            List<Delivery> third = driver.of(partition).stream()
                    .filter(each -> number(each) % 3 == 0)
                    .toList();
            driver.source.ack(partition, third.stream().map(Delivery::sequence).toList());
            driver.manyTurns();
            for (int round = 0; round < 3; round++) {
                driver.until("caught up and draining", () -> {
                    clock.advanceMillis(DRAIN_MILLIS);
                    return !driver.lost.isEmpty();
                });
                driver.lost.clear();
                driver.delivered.clear();
                driver.source.open(partition);
                driver.untilDelivered(MESSAGES - third.size());
                assertThat(driver.bodies())
                        .isEqualTo(numbers(0, MESSAGES).stream()
                                .filter(each -> Integer.parseInt(each) % 3 != 0)
                                .toList());
                clock.advanceMillis(Duration.ofHours(2).toMillis());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotKeepMessagesThatDidNotFitFromDelivering(boolean ordered) throws Exception {
        settings = ordered ? settings.orderedByHeader() : settings;
        MemoryBudget memory = MemoryBudget.ofBytes(100_000);
        try (RabbitSourceDriver driver = open(settings, memory)) {
            Partition partition = driver.partition(0);
            driver.roundTrip(partition);
            publish(numbers(0, MESSAGES).stream()
                    .map(each -> each + " ".repeat(10_000))
                    .toList());
            driver.until("all but the pinned one acked", () -> {
                ackAllBut(driver, partition);
                clock.advanceMillis(DRAIN_MILLIS / 20);
                if (!driver.lost.isEmpty()) {
                    driver.lost.clear();
                    driver.delivered.clear();
                    driver.source.open(partition);
                }
                return new TreeSet<>(acked).size() == MESSAGES - 1;
            });
            if (ordered) {
                assertThat(acked)
                        .isEqualTo(numbers(0, MESSAGES).stream()
                                .filter(each -> !each.equals(PINNED))
                                .toList());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isGivenBackBeforeTheBrokersTimeout(boolean paused) throws Exception {
        settings = settings.orderedByHeader().withConsumerTimeout(Duration.ofMinutes(30));
        try (RabbitSourceDriver driver = open(settings, MemoryBudget.ofHeap())) {
            Partition partition = driver.partition(0);
            driver.roundTrip(partition);
            if (paused) {
                driver.source.pause(partition);
            }
            publish(numbers(0, 3));
            if (paused) {
                driver.manyTurns();
            } else {
                driver.untilDelivered(3);
            }
            clock.advanceMillis(Duration.ofMinutes(22).toMillis());
            driver.manyTurns();
            assertThat(driver.lost).isEmpty();

            clock.advanceMillis(Duration.ofMinutes(1).toMillis());
            driver.until("given back", () -> !driver.lost.isEmpty());
            driver.delivered.clear();
            driver.source.open(partition);
            driver.untilDelivered(3);

            assertThat(driver.bodies()).isEqualTo(numbers(0, 3));
            assertThat(driver.all()).allMatch(Delivery::redelivered);
            driver.lost.clear();
            driver.manyTurns();
            assertThat(driver.lost).isEmpty();
        }
    }

    private RabbitSourceDriver open(RabbitSettings with, MemoryBudget memory) {
        return new RabbitSourceDriver(with, memory, clock).openAll();
    }

    private void leaveInQueue(int count) throws Exception {
        try (RabbitSourceDriver declares = new RabbitSourceDriver(settings).connected()) {
            publish(numbers(0, count));
        }
    }

    private void publish(List<String> bodies) throws Exception {
        for (String body : bodies) {
            publish(settings.routingKey(), null, body);
        }
        channel.waitForConfirmsOrDie(60_000);
    }

    private static int number(Delivery delivery) {
        return Integer.parseInt(RabbitSourceDriver.body(delivery).trim());
    }

    /** Acks what was delivered, besides the pinned message, which stays in {@code delivered}. */
    private void ackAllBut(RabbitSourceDriver driver, Partition partition) {
        List<Delivery> others = driver.of(partition).stream()
                .filter(each -> number(each) != Integer.parseInt(PINNED))
                .toList();
        others.forEach(each -> acked.add(Integer.toString(number(each))));
        driver.source.ack(partition, others.stream().map(Delivery::sequence).toList());
        driver.delivered.getOrDefault(partition, new ArrayList<>()).removeAll(others);
    }

    private static void ackAll(RabbitSourceDriver driver, Partition partition) {
        driver.source.ack(
                partition, driver.of(partition).stream().map(Delivery::sequence).toList());
    }
}
