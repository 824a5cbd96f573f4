package dev.tandem.kafka;

import static dev.tandem.kafka.Topics.fill;
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

/** Brokers that are away, and members that seem to be. */
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
    void aBrokerThatRestartsIsFoundAgainAndNothingIsLostOrRepeated() {
        String topic = UniqueNames.fresh("broker-restart");
        Partition partition = Partition.of(topic, 0);
        try (Warnings warnings = new Warnings();
                Engine engine =
                        Engine.started(KafkaSettings.of(kafka.address(), topic).withPartitions(1))) {
            await().until(() -> engine.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> engine.deliveredCount() == 10);
            engine.call(() -> engine.source.commit(partition, 10));
            await().until(() -> !engine.events("committed").isEmpty());

            kafka.kill();
            await().until(() -> !engine.source.status().connected());
            assertThat(engine.source.status().detail()).isEqualTo("no broker can be reached");

            kafka.start();
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> engine.source.status().connected());
            await().until(() -> engine.offsets(partition).contains(19L));
            assertThat(engine.offsets(partition))
                    .doesNotHaveDuplicates()
                    .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
            assertThat(warnings.of(topic)).as("said once").hasSize(1);
        }
    }

    @Test
    void aSourceThatStartsBeforeItsBrokerWaitsAndSaysSo() {
        String topic = UniqueNames.fresh("broker-late");
        kafka.stop();
        try (Warnings warnings = new Warnings();
                Engine engine =
                        Engine.started(KafkaSettings.of(kafka.address(), topic).withPartitions(1))) {
            await().until(() -> !warnings.of(topic).isEmpty());
            assertThat(engine.source.status().connected()).isFalse();
            assertThat(engine.source.status().detail()).startsWith("Kafka can't be used: no broker answered in time");
            assertThat(warnings.of(topic))
                    .singleElement()
                    .asString()
                    .contains(kafka.address(), "trying again until it works");

            kafka.start();

            await().until(() -> engine.owned().size() == 1);
            fill(kafka.address(), topic, 1, 5);
            await().until(() -> engine.deliveredCount() == 5);
            assertThat(engine.source.status().connected()).isTrue();
            assertThat(warnings.of(topic)).hasSize(1);
        } finally {
            kafka.start();
        }
    }

    @Test
    void aServerNameThatCantBeResolvedIsWaitedForToo() {
        String topic = UniqueNames.fresh("broker-unknown");
        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of("broker.invalid:9092", topic))) {
            await().until(() -> !warnings.of(topic).isEmpty());
            assertThat(engine.source.status().detail()).contains("resolvable", "bootstrap.servers");
        }
    }

    @Test
    void aPausedPartitionStaysOursFarBeyondTheSessionTimeout() {
        String topic = UniqueNames.fresh("long-task");
        Partition partition = Partition.of(topic, 0);
        try (Engine engine = Engine.started(shortSession(topic))) {
            await().until(() -> engine.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> engine.deliveredCount() == 10);

            engine.call(() -> engine.source.pause(partition));
            long since = System.nanoTime();
            // The time that a long task takes: nothing else can be waited for.
            await().until(() ->
                    System.nanoTime() - since > Duration.ofMillis(3 * SESSION).toNanos());
            engine.call(() -> engine.source.commit(partition, 10));

            await().until(() -> !engine.events("committed").isEmpty());
            assertThat(engine.events("revoked")).isEmpty();
            assertThat(engine.events("lost")).isEmpty();
            assertThat(engine.events("assigned")).hasSize(1);
        }
    }

    @Test
    void aMemberThatWasSilentBeyondItsSessionLosesItsPartitionsBeforeItCommits() {
        String topic = UniqueNames.fresh("frozen");
        Partition partition = Partition.of(topic, 0);
        try (Engine engine = Engine.started(shortSession(topic))) {
            await().until(() -> engine.owned().size() == 1);
            fill(kafka.address(), topic, 1, 10);
            await().until(() -> engine.deliveredCount() == 10);

            // To the member a frozen broker is what a frozen member is to its broker: silence.
            kafka.suspend();
            long since = System.nanoTime();
            await().until(() ->
                    System.nanoTime() - since > Duration.ofMillis(2 * SESSION).toNanos());
            engine.call(() -> {
                engine.source.commit(partition, 10);
                engine.source.confirm(partition);
            });
            kafka.resume();

            // Either way nothing is left open: it is still in and both go through, or it is out and comes back.
            await().until(() -> !engine.events("confirmed").isEmpty()
                    || engine.events("assigned").size() == 2);
            if (!engine.events("confirmed").isEmpty()) {
                assertThat(engine.events("lost")).isEmpty();
            } else {
                assertThat(engine.events("lost")).hasSize(1);
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
