package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.testkit.BrokerProxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Lost connections, channels and queues, and how the source recovers from them. */
class RabbitConnectionIT extends SourceFixture {

    @Test
    void aCutConnectionLosesItsPartitionsAndReconnects() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                RabbitSourceDriver driver = new RabbitSourceDriver(through(wire)).openAll()) {
            publish(3);
            driver.untilDelivered(3);
            Partition partition = driver.partition(0);
            driver.source.ack(partition, List.of(driver.all().get(0).sequence()));
            driver.roundTrip(partition);
            List<Delivery> old = List.copyOf(driver.all());
            driver.delivered.clear();

            wire.cut();
            driver.until("lost", () -> driver.lost.contains(partition));
            assertThat(driver.source.status().connected()).isFalse();
            driver.openAll();
            driver.untilDelivered(2);
            driver.source.ack(partition, old.stream().map(Delivery::sequence).toList());
            driver.roundTrip(partition);

            assertThat(driver.source.status().connected()).isTrue();
            assertThat(driver.bodies()).isEqualTo(numbers(1, 3));
            assertThat(driver.all()).allMatch(Delivery::redelivered);
            assertThat(driver.lost).containsExactly(partition);
        }
        await().until(() -> waiting(settings.brokerQueue()) == 2);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void noticesABrokerThatHangsWithoutBlockingTheLoop() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                RabbitSourceDriver driver = new RabbitSourceDriver(through(wire)).openAll()) {
            publish(100);
            driver.untilDelivered(100);
            Partition partition = driver.partition(0);

            wire.freeze();
            driver.source.confirm(partition);
            driver.ackAll();
            driver.until(
                    "noticed, after two heartbeats",
                    () -> !driver.source.status().connected());
            assertThat(driver.lost).contains(partition);

            assertThat(driver.confirmed).isEmpty();
            assertThat(driver.longestPoll())
                    .as("ms of the longest poll, which may wait 100 ms")
                    .isLessThan(5_000);
            wire.thaw();
            driver.openAll();
            driver.roundTrip(partition);
            assertThat(driver.source.status().connected()).isTrue();
        }
    }

    @Test
    void retriesAnUnreachableBrokerAndReportsIt() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri())) {
            wire.down();
            try (RabbitSourceDriver driver = new RabbitSourceDriver(through(wire))) {
                driver.until("tried", () -> driver.source.status().detail().contains("cannot be reached"));
                assertThat(driver.source.leasable()).isEmpty();
                Partition early = Partition.of(settings.queue(), 0);
                driver.source.open(early);
                driver.until("reported as lost", () -> driver.lost.contains(early));

                wire.up();
                publish(driver.openAll(), 1);

                driver.untilDelivered(1);
                assertThat(driver.source.status().connected()).isTrue();
                assertThat(driver.source.status().detail()).startsWith("connected to RabbitMQ ");
            }
        }
    }

    @Test
    void confirmsByARoundTripAndNotOnALostConnection() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                RabbitSourceDriver driver = new RabbitSourceDriver(through(wire)).connected()) {
            Partition partition = driver.partition(0);
            driver.source.confirm(partition);
            driver.until("confirmed before it is open", () -> driver.confirmed.contains(partition));
            driver.confirmed.clear();
            driver.source.open(partition);
            driver.roundTrip(partition);
            driver.confirmed.clear();

            wire.down();
            driver.source.confirm(partition);
            driver.until("lost", () -> driver.lost.contains(partition));

            assertThat(driver.confirmed).isEmpty();
        }
    }

    @Test
    void losesOnlyThePartitionOfAClosedChannelWhichMayBeReopened() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings.withPartitions(2)).openAll()) {
            Partition broken = driver.partition(0);
            driver.roundTrip(broken);
            driver.roundTrip(driver.partition(1));
            driver.source
                    .consumingChannel(broken)
                    .basicAck(999, false); // PRECONDITION_FAILED, as with consumer_timeout

            driver.until("lost", () -> driver.lost.contains(broken));
            assertThat(driver.lost).containsExactly(broken);
            assertThat(driver.source.status().connected()).isTrue();
            driver.source.open(broken);
            driver.roundTrip(broken);
            publish(10);
            driver.untilDelivered(10);

            assertThat(driver.delivered.keySet()).containsExactlyInAnyOrderElementsOf(driver.partitions());
        }
    }

    @Test
    void redeclaresADeletedQueue() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            publish(1);
            driver.untilDelivered(1);

            channel.queueDelete(settings.brokerQueue());
            driver.until("lost", () -> driver.lost.contains(driver.partition(0)));
            driver.openAll();
            publish(driver, 1);

            driver.untilDelivered(2);
        }
    }

    private RabbitSettings through(BrokerProxy wire) {
        return RabbitSettings.of(wire.uri(), settings.queue())
                .withExchange(settings.exchange())
                .withPartitions(settings.partitions());
    }
}
