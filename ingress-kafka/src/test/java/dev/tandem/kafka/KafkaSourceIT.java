package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.bytes;
import static dev.tandem.kafka.TestTopics.committed;
import static dev.tandem.kafka.TestTopics.fill;
import static dev.tandem.kafka.TestTopics.get;
import static dev.tandem.kafka.TestTopics.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading and committing. */
class KafkaSourceIT {

    private String servers;
    private Admin admin;

    @BeforeEach
    void connect() {
        servers = Brokers.kafka().bootstrapServers();
        admin = Brokers.kafka().admin();
    }

    @Test
    void recordsWithoutHeadersAreTasksInTheirOrder() {
        String topic = Brokers.kafka().topic("plain", 1);
        Partition partition = Partition.of(topic, 0);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            get(producer.send(record(topic, 0, "customer-1", "first")));
            get(producer.send(record(topic, 0, null, "second")));
            get(producer.send(record(topic, 0, null, "third")));
            get(producer.send(new ProducerRecord<>(topic, 0, bytes("tombstone"), null)));
        }

        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 4);

            List<Delivery> tasks = driver.delivered(partition);
            assertThat(tasks)
                    .extracting(each -> new String(each.task().payload(), StandardCharsets.UTF_8))
                    .containsExactly("first", "second", "third", "");
            assertThat(tasks)
                    .as("records without a key are not one key")
                    .extracting(each -> each.task().key())
                    .containsExactly("customer-1", null, null, "tombstone");
            assertThat(tasks)
                    .allMatch(each -> each.unreadable() == null && each.task().publishedAt() > 0);
            assertThat(driver.position).containsEntry(partition, 4L);
            assertThat(driver.source.status().connected()).isTrue();
        }
    }

    @Test
    void anUnreadableMessageKeepsItsBytesAndSaysWhy() {
        String topic = Brokers.kafka().topic("unreadable", 1);
        Partition partition = Partition.of(topic, 0);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            ProducerRecord<byte[], byte[]> bad = record(topic, 0, "k", "payload");
            bad.headers().add("tandem-delay", bytes("abc")).add("mine", bytes("kept"));
            get(producer.send(bad));
            get(producer.send(record(topic, 0, "k", "x".repeat(101))));
            get(producer.send(record(topic, 0, "k", "fine")));
        }

        try (KafkaSourceDriver driver =
                KafkaSourceDriver.started(KafkaSettings.of(servers, topic).withMaxPayload(100))) {
            await().until(() -> driver.delivered(partition).size() == 3);

            Delivery bad = driver.delivered(partition).get(0);
            assertThat(bad.unreadable()).startsWith("header 'tandem-delay' has the value 'abc': use milliseconds");
            assertThat(bad.task().payload()).isEqualTo(bytes("payload"));
            assertThat(bad.task().headers()).isEqualTo(Map.of("tandem-delay", "abc", "mine", "kept"));
            Delivery large = driver.delivered(partition).get(1);
            assertThat(large.unreadable()).contains("101 bytes", "100 bytes", "max-payload");
            assertThat(large.task().payload()).hasSize(101);
            assertThat(driver.delivered(partition).get(2).unreadable()).isNull();
        }
    }

    @Test
    void recordsOutsideOfTheirKeysPartitionsAreCountedAndWarnedOfOnce() {
        String topic = Brokers.kafka().topic("placement", 4);
        int own = KeyPlacement.expected(bytes("customer-1"), 4);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            for (int i = 0; i < 20; i++) {
                // Kafka's own choice.
                get(producer.send(new ProducerRecord<>(topic, bytes("key-" + i), bytes("x"))));
                get(producer.send(record(topic, i % 4, null, "x")));
            }
        }
        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic));
                KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            await().until(() -> driver.deliveredCount() == 40);
            assertThat(driver.source.status().misplaced()).isZero();
            assertThat(warnings.of(topic)).isEmpty();

            for (int partition = 0; partition < 4; partition++) {
                get(producer.send(record(topic, partition, "customer-1", "x")));
            }
            await().until(() -> driver.deliveredCount() == 44);

            assertThat(driver.source.status().misplaced()).isEqualTo(3);
            assertThat(warnings.of(topic))
                    .singleElement()
                    .asString()
                    .contains("puts into partition " + own + " of 4", "partitioner=murmur2_random");
        }
    }

    @Test
    void createsAMissingTopicWithTheConfiguredPartitions() {
        String topic = UniqueNames.fresh("created");

        try (KafkaSourceDriver driver =
                KafkaSourceDriver.started(KafkaSettings.of(servers, topic).withPartitions(3))) {
            await().until(() -> driver.events("assigned").size() == 3);
        }
        assertThat(get(admin.describeTopics(List.of(topic)).allTopicNames())
                        .get(topic)
                        .partitions())
                .hasSize(3);
    }

    @Test
    void deliversNothingBeforeAPartitionIsOpened() {
        String topic = Brokers.kafka().topic("open", 2);
        Partition first = Partition.of(topic, 0);
        Partition second = Partition.of(topic, 1);
        fill(servers, topic, 2, 10);
        KafkaSourceDriver driver = new KafkaSourceDriver(KafkaSettings.of(servers, topic));
        driver.onAssigned = partition -> {};
        driver.start();
        try (driver) {
            await().until(() -> driver.events("assigned").size() == 2);
            driver.call(() -> driver.source.open(first));
            await().until(() -> driver.delivered(first).size() == 10);
            assertThat(driver.delivered(second)).isEmpty();

            driver.call(() -> driver.source.open(second));
            await().until(() -> driver.delivered(second).size() == 10);
        }
    }

    @Test
    void aPausedPartitionDelaysNoOther() {
        String topic = Brokers.kafka().topic("pause", 2);
        Partition paused = Partition.of(topic, 0);
        Partition other = Partition.of(topic, 1);
        KafkaSourceDriver driver = new KafkaSourceDriver(KafkaSettings.of(servers, topic));
        driver.onAssigned = partition -> {
            driver.source.open(partition);
            if (partition.equals(paused)) {
                driver.source.pause(partition);
            }
        };
        driver.start();
        try (driver) {
            fill(servers, topic, 2, 10);
            await().until(() -> driver.delivered(other).size() == 10);
            assertThat(driver.delivered(paused)).isEmpty();

            driver.call(() -> driver.source.resume(paused));
            await().until(() -> driver.delivered(paused).size() == 10);
        }
    }

    @Test
    void theCommittedPrefixSurvivesARestart() {
        String topic = Brokers.kafka().topic("restart", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 10);
            driver.call(() -> driver.source.commit(partition, 4));
            await().until(() -> !driver.events("committed").isEmpty());
            assertThat(driver.events("committed")).hasSize(1).allMatch(each -> each.number() == 4);
            // Closing the source sends this commit, which is not answered yet.
            driver.call(() -> driver.source.commit(partition, 7));
        }

        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 3);
            assertThat(driver.offsets(partition)).containsExactly(7L, 8L, 9L);
            assertThat(driver.events("assigned").get(0).facts().committed()).isEqualTo(7);
        }
    }

    @Test
    void commitsAllPartitionsInOneRequest() {
        String topic = Brokers.kafka().topic("coalesce", 8);
        fill(servers, topic, 8, 1);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.deliveredCount() == 8);
            // First the source commits the starts of partitions that have no commit.
            await().until(() -> committed(admin, topic).size() == 8);
            double before = driver.source.metric("commit-total");

            driver.call(() -> {
                for (int round = 0; round < 10; round++) {
                    for (int i = 0; i < 8; i++) {
                        driver.source.commit(Partition.of(topic, i), 1);
                    }
                }
            });

            await().until(() -> driver.events("committed").size() == 8);
            assertThat(driver.source.metric("commit-total") - before).isEqualTo(1);
        }
    }

    @Test
    void aRewindRedeliversWhatIsNotCommitted() {
        String topic = Brokers.kafka().topic("rewind", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 5);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 5);
            driver.call(() -> driver.source.commit(partition, 3));
            await().until(() -> !driver.events("committed").isEmpty());

            driver.call(() -> driver.source.rewind(partition));

            await().until(() -> driver.delivered(partition).size() == 7);
            assertThat(driver.offsets(partition)).containsExactly(0L, 1L, 2L, 3L, 4L, 3L, 4L);
        }
    }

    @Test
    void skipsRecordsOfAbortedTransactions() {
        String topic = Brokers.kafka().topic("aborted", 1);
        Partition partition = Partition.of(topic, 0);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic));
                KafkaProducer<byte[], byte[]> producer =
                        TestTopics.producer(servers, Map.of("transactional.id", UniqueNames.fresh("tx")))) {
            producer.initTransactions();
            producer.beginTransaction();
            get(producer.send(record(topic, 0, null, "committed")));
            producer.commitTransaction();
            // Behind the record and the transaction's marker.
            await().until(() -> Long.valueOf(2).equals(driver.position.get(partition)));

            producer.beginTransaction();
            get(producer.send(record(topic, 0, null, "aborted")));
            get(producer.send(record(topic, 0, null, "aborted")));
            producer.abortTransaction();

            await().until(() -> Long.valueOf(5).equals(driver.position.get(partition)));
            assertThat(driver.offsets(partition)).containsExactly(0L);
        }
    }

    @Test
    void deliversAllRecordsOnceAndInOrderDuringPausesAndResumes() {
        String topic = Brokers.kafka().topic("busy", 4);
        fill(servers, topic, 4, 5_000);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            int round = 0;
            while (driver.deliveredCount() < 20_000) {
                Partition partition = Partition.of(topic, round++ % 4);
                driver.call(() -> driver.source.pause(partition));
                driver.call(() -> driver.source.commit(partition, driver.position.getOrDefault(partition, 0L)));
                driver.call(() -> driver.source.resume(partition));
            }
            for (int i = 0; i < 4; i++) {
                assertThat(driver.offsets(Partition.of(topic, i)))
                        .containsExactlyElementsOf(
                                LongStream.range(0, 5_000).boxed().toList());
            }
        }
    }
}
