package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalKafka;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Brokers that are down or do not answer. */
class KafkaOutageIT {

    private static final int SESSION = 1_500;

    private static LocalKafka kafka;

    @BeforeAll
    static void start() {
        kafka = Brokers.orSkip(() -> LocalKafka.builder()
                .setting("group.min.session.timeout.ms", "500")
                .start());
    }

    @AfterAll
    static void stop() {
        if (kafka != null) {
            kafka.close();
        }
    }

    @Test
    void reconnectsAfterABrokerRestartWithoutLossOrRepetition() {
        String topic = UniqueNames.fresh("broker-restart");
        Partition partition = Partition.of(topic, 0);
        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(
                        KafkaSettings.of(kafka.address(), topic).withPartitions(1))) {
            await().until(() -> driver.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> driver.deliveredCount() == 10);
            driver.call(() -> driver.source.commit(partition, 10));
            await().until(() -> !driver.events("committed").isEmpty());

            kafka.kill();
            await().until(() -> !driver.source.status().connected());
            assertThat(driver.source.status().detail())
                    .isEqualTo("no broker can be reached. No new tasks arrive until one answers; check the brokers and"
                            + " the network. The client keeps retrying.");

            kafka.start();
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> driver.source.status().connected());
            await().until(() -> driver.offsets(partition).contains(19L));
            assertThat(driver.offsets(partition))
                    .doesNotHaveDuplicates()
                    .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
            assertThat(warnings.of(topic)).as("logged once").hasSize(1);
        }
    }

    @Test
    void aSourceStartedBeforeItsBrokerWaitsAndReportsIt() {
        String topic = UniqueNames.fresh("broker-late");
        kafka.stop();
        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(
                        KafkaSettings.of(kafka.address(), topic).withPartitions(1))) {
            await().until(() -> !warnings.of(topic).isEmpty());
            assertThat(driver.source.status().connected()).isFalse();
            assertThat(driver.source.status().detail())
                    .startsWith("cannot connect to Kafka at '" + kafka.address()
                            + "' (tandem.kafka.bootstrap-servers): no broker answered in time")
                    .contains("check the address, and that a broker runs there")
                    .endsWith("retrying every second.");
            assertThat(warnings.of(topic))
                    .singleElement()
                    .asString()
                    .contains(kafka.address(), "retrying every second");

            kafka.start();

            await().until(() -> driver.owned().size() == 1);
            fill(kafka.address(), topic, 1, 5);
            await().until(() -> driver.deliveredCount() == 5);
            assertThat(driver.source.status().connected()).isTrue();
            assertThat(warnings.of(topic)).hasSize(1);
        } finally {
            kafka.start();
        }
    }

    @Test
    void retriesAServerNameThatCannotBeResolved() {
        String topic = UniqueNames.fresh("broker-unknown");
        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of("broker.invalid:9092", topic))) {
            await().until(() -> !warnings.of(topic).isEmpty());
            assertThat(driver.source.status().detail()).contains("resolvable", "bootstrap.servers");
        }
    }

    @Test
    void aPausedPartitionIsKeptBeyondTheSessionTimeout() {
        String topic = UniqueNames.fresh("long-task");
        Partition partition = Partition.of(topic, 0);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(shortSession(topic))) {
            await().until(() -> driver.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> driver.deliveredCount() == 10);

            driver.call(() -> driver.source.pause(partition));
            long since = System.nanoTime();
            // Stands for a long task: only time can pass here.
            await().until(() ->
                    System.nanoTime() - since > Duration.ofMillis(3 * SESSION).toNanos());
            driver.call(() -> driver.source.commit(partition, 10));

            await().until(() -> !driver.events("committed").isEmpty());
            assertThat(driver.events("revoked")).isEmpty();
            assertThat(driver.events("lost")).isEmpty();
            assertThat(driver.events("assigned")).hasSize(1);
        }
    }

    @Test
    void aMemberSilentBeyondItsSessionEitherCommitsOrLosesItsPartitions() {
        String topic = UniqueNames.fresh("frozen");
        Partition partition = Partition.of(topic, 0);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(shortSession(topic))) {
            await().until(() -> driver.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> driver.deliveredCount() == 10);

            // A frozen broker is as silent as one that does not hear the member's heartbeats.
            kafka.suspend();
            long since = System.nanoTime();
            await().until(() ->
                    System.nanoTime() - since > Duration.ofMillis(2 * SESSION).toNanos());
            driver.call(() -> {
                driver.source.commit(partition, 10);
                driver.source.confirm(partition);
            });
            kafka.resume();

            // Either the member is still in the group and both requests succeed, or it lost the partition and rejoined.
            await().until(() -> !driver.events("confirmed").isEmpty()
                    || driver.events("assigned").size() == 2);
            if (!driver.events("confirmed").isEmpty()) {
                assertThat(driver.events("lost")).isEmpty();
            } else {
                assertThat(driver.events("lost")).hasSize(1);
            }
        } finally {
            kafka.resume();
        }
    }

    private static KafkaSettings shortSession(String topic) {
        return KafkaSettings.of(kafka.address(), topic)
                .withPartitions(1)
                .withProperties(
                        Map.of("session.timeout.ms", Integer.toString(SESSION), "heartbeat.interval.ms", "300"));
    }
}
