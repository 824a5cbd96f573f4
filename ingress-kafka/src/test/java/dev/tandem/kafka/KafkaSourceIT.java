package dev.tandem.kafka;

import static dev.tandem.kafka.Topics.bytes;
import static dev.tandem.kafka.Topics.committed;
import static dev.tandem.kafka.Topics.fill;
import static dev.tandem.kafka.Topics.get;
import static dev.tandem.kafka.Topics.record;
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
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading and committing, and where reading starts. */
class KafkaSourceIT {

    private String servers;
    private Admin admin;

    @BeforeEach
    void broker() {
        servers = Brokers.kafka().bootstrapServers();
        admin = Brokers.kafka().admin();
    }

    @Test
    void aPlainProducersRecordsWithoutHeadersAreTasksInTheirOrder() {
        String topic = Brokers.kafka().topic("plain", 1);
        Partition partition = Partition.of(topic, 0);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(servers, Map.of())) {
            get(producer.send(record(topic, 0, "customer-1", "first")));
            get(producer.send(record(topic, 0, null, "second")));
            get(producer.send(record(topic, 0, null, "third")));
            get(producer.send(new ProducerRecord<>(topic, 0, bytes("tombstone"), null)));
        }

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 4);

            List<Delivery> tasks = engine.delivered(partition);
            assertThat(tasks)
                    .extracting(each -> new String(each.task().payload(), StandardCharsets.UTF_8))
                    .containsExactly("first", "second", "third", "");
            assertThat(tasks)
                    .as("null keys are not one key")
                    .extracting(each -> each.task().key())
                    .containsExactly("customer-1", null, null, "tombstone");
            assertThat(tasks)
                    .allMatch(each -> each.unreadable() == null && each.task().publishedAt() > 0);
            assertThat(engine.position).containsEntry(partition, 4L);
            assertThat(engine.source.status().connected()).isTrue();
        }
    }

    @Test
    void anUnreadableMessageComesWithItsReasonAndAllItsBytes() {
        String topic = Brokers.kafka().topic("unreadable", 1);
        Partition partition = Partition.of(topic, 0);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(servers, Map.of())) {
            ProducerRecord<byte[], byte[]> bad = record(topic, 0, "k", "payload");
            bad.headers().add("tandem-delay", bytes("abc")).add("mine", bytes("kept"));
            get(producer.send(bad));
            get(producer.send(record(topic, 0, "k", "x".repeat(101))));
            get(producer.send(record(topic, 0, "k", "fine")));
        }

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic).withMaxPayload(100))) {
            await().until(() -> engine.delivered(partition).size() == 3);

            Delivery bad = engine.delivered(partition).get(0);
            assertThat(bad.unreadable()).startsWith("header 'tandem-delay' has the value 'abc': use milliseconds");
            assertThat(bad.task().payload()).isEqualTo(bytes("payload"));
            assertThat(bad.task().headers()).isEqualTo(Map.of("tandem-delay", "abc", "mine", "kept"));
            Delivery large = engine.delivered(partition).get(1);
            assertThat(large.unreadable()).contains("101 bytes", "100 bytes", "max-payload");
            assertThat(large.task().payload()).hasSize(101);
            assertThat(engine.delivered(partition).get(2).unreadable()).isNull();
        }
    }

    @Test
    void aMissingTopicIsCreatedWithTheConfiguredPartitions() {
        String topic = UniqueNames.fresh("created");

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic).withPartitions(3))) {
            await().until(() -> engine.events("assigned").size() == 3);
        }
        assertThat(get(admin.describeTopics(List.of(topic)).allTopicNames())
                        .get(topic)
                        .partitions())
                .hasSize(3);
    }

    @Test
    void nothingIsDeliveredBeforeTheEngineOpensAPartition() {
        String topic = Brokers.kafka().topic("open", 2);
        Partition first = Partition.of(topic, 0);
        Partition second = Partition.of(topic, 1);
        fill(servers, topic, 2, 10);
        Engine engine = new Engine(KafkaSettings.of(servers, topic));
        engine.onAssigned = partition -> {};
        engine.start();
        try (engine) {
            await().until(() -> engine.events("assigned").size() == 2);
            engine.call(() -> engine.source.open(first));
            await().until(() -> engine.delivered(first).size() == 10);
            assertThat(engine.delivered(second)).isEmpty();

            engine.call(() -> engine.source.open(second));
            await().until(() -> engine.delivered(second).size() == 10);
        }
    }

    @Test
    void aPausedPartitionHoldsUpNoOther() {
        String topic = Brokers.kafka().topic("pause", 2);
        Partition paused = Partition.of(topic, 0);
        Partition other = Partition.of(topic, 1);
        Engine engine = new Engine(KafkaSettings.of(servers, topic));
        engine.onAssigned = partition -> {
            engine.source.open(partition);
            if (partition.equals(paused)) {
                engine.source.pause(partition);
            }
        };
        engine.start();
        try (engine) {
            fill(servers, topic, 2, 10);
            await().until(() -> engine.delivered(other).size() == 10);
            assertThat(engine.delivered(paused)).isEmpty();

            engine.call(() -> engine.source.resume(paused));
            await().until(() -> engine.delivered(paused).size() == 10);
        }
    }

    @Test
    void theCommittedPrefixSurvivesARestart() {
        String topic = Brokers.kafka().topic("restart", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 10);
            engine.call(() -> engine.source.commit(partition, 4));
            await().until(() -> !engine.events("committed").isEmpty());
            assertThat(engine.events("committed")).hasSize(1).allMatch(each -> each.number() == 4);
            // Asked for last, and not answered yet: it is sent before the source is gone.
            engine.call(() -> engine.source.commit(partition, 7));
        }

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 3);
            assertThat(engine.offsets(partition)).containsExactly(7L, 8L, 9L);
            assertThat(engine.events("assigned").get(0).facts().committed()).isEqualTo(7);
        }
    }

    @Test
    void commitsOfAllPartitionsGoInOneRequest() {
        String topic = Brokers.kafka().topic("coalesce", 8);
        fill(servers, topic, 8, 1);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.deliveredCount() == 8);
            // The starts of partitions without a commit are committed first.
            await().until(() -> committed(admin, topic).size() == 8);
            double before = engine.source.metric("commit-total");

            engine.call(() -> {
                for (int round = 0; round < 10; round++) {
                    for (int i = 0; i < 8; i++) {
                        engine.source.commit(Partition.of(topic, i), 1);
                    }
                }
            });

            await().until(() -> engine.events("committed").size() == 8);
            assertThat(engine.source.metric("commit-total") - before).isEqualTo(1);
        }
    }

    @Test
    void aRewindDeliversAllThatIsNotCommittedAgain() {
        String topic = Brokers.kafka().topic("rewind", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 5);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 5);
            engine.call(() -> engine.source.commit(partition, 3));
            await().until(() -> !engine.events("committed").isEmpty());

            engine.call(() -> engine.source.rewind(partition));

            await().until(() -> engine.delivered(partition).size() == 7);
            assertThat(engine.offsets(partition)).containsExactly(0L, 1L, 2L, 3L, 4L, 3L, 4L);
        }
    }

    @Test
    void recordsOfAbortedTransactionsAreNotDeliveredAndThePositionPassesThem() {
        String topic = Brokers.kafka().topic("aborted", 1);
        Partition partition = Partition.of(topic, 0);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic));
                KafkaProducer<byte[], byte[]> producer =
                        Topics.producer(servers, Map.of("transactional.id", UniqueNames.fresh("tx")))) {
            producer.initTransactions();
            producer.beginTransaction();
            get(producer.send(record(topic, 0, null, "committed")));
            producer.commitTransaction();
            // The record and its marker.
            await().until(() -> Long.valueOf(2).equals(engine.position.get(partition)));

            producer.beginTransaction();
            get(producer.send(record(topic, 0, null, "aborted")));
            get(producer.send(record(topic, 0, null, "aborted")));
            producer.abortTransaction();

            await().until(() -> Long.valueOf(5).equals(engine.position.get(partition)));
            assertThat(engine.offsets(partition)).containsExactly(0L);
        }
    }

    @Test
    void withoutACommittedOffsetReadingStartsAtTheLogsStart() {
        String topic = Brokers.kafka().topic("start", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        deleteBefore(topic, 6);

        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 4);
            assertThat(engine.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(engine.events("assigned").get(0).facts().committed()).isEqualTo(-1);
            assertThat(engine.events("assigned").get(0).facts().logStart()).isEqualTo(6);
            assertThat(warnings.of(topic)).isEmpty();
            // So that what is deleted from here on is noticed.
            await().until(() -> Long.valueOf(6).equals(committed(admin, topic).get(0)));
            assertThat(engine.events("committed")).isEmpty();
        }
        try (Engine again = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> again.delivered(partition).size() == 4);
            assertThat(again.events("assigned").get(0).facts().committed())
                    .as("nothing was settled")
                    .isEqualTo(-1);
            again.call(() -> again.source.confirm(partition));
            await().until(() -> !again.events("confirmed").isEmpty());
            assertThat(again.events("confirmed").get(0).facts().committed()).isEqualTo(-1);
            again.call(() -> again.source.commit(partition, 8));
            again.call(() -> again.source.confirm(partition));
            await().until(() -> again.events("confirmed").size() == 2);
            assertThat(again.events("confirmed").get(1).facts().committed()).isEqualTo(8);
        }
    }

    @Test
    void offsetsThatExpiredBeforeTheyWereReadAreReportedWithTheirNumbers() {
        String topic = Brokers.kafka().topic("expired", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 2, "");
        deleteBefore(topic, 6);

        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 4);
            assertThat(engine.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(engine.events("assigned").get(0).facts().committed()).isEqualTo(2);
            assertThat(engine.events("assigned").get(0).facts().logStart()).isEqualTo(6);
            assertThat(warnings.of(topic)).singleElement().asString().contains("offsets 2 to 5 (4) were deleted");
            assertThat(engine.events("delivered").get(0).number())
                    .as("the prefix may pass the gap before any record comes")
                    .isEqualTo(6);
        }
    }

    @Test
    void offsetsThatExpireWhileAPartitionIsPausedAreReportedWithTheirNumbers() {
        String topic = Brokers.kafka().topic("expiring", 1);
        Partition partition = Partition.of(topic, 0);
        Engine engine = new Engine(KafkaSettings.of(servers, topic));
        engine.onAssigned = each -> {};
        engine.start();
        try (Warnings warnings = new Warnings();
                engine) {
            fill(servers, topic, 1, 10);
            await().until(() -> !engine.events("assigned").isEmpty());
            deleteBefore(topic, 6);

            engine.call(() -> engine.source.open(partition));

            await().until(() -> engine.delivered(partition).size() == 4);
            assertThat(engine.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(engine.events("delivered").get(0).number()).isEqualTo(6);
            assertThat(engine.events("lost")).isEmpty();
            assertThat(warnings.of(topic)).singleElement().asString().contains("offsets 0 to 5 (6) were deleted");
        }
    }

    @Test
    void aLogThatWasCutBehindTheCommittedOffsetIsReadFromItsStart() {
        String topic = Brokers.kafka().topic("cut", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 5);
        commit(topic, 1_000, "");

        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 5);
            assertThat(engine.events()).extracting(Engine.Event::kind).startsWith("assigned", "lost", "assigned");
            assertThat(engine.events("assigned"))
                    .extracting(each -> each.facts().committed())
                    .containsExactly(1_000L, 0L);
            assertThat(warnings.of(topic)).anyMatch(each -> each.contains("ends before the committed offset 1000"));
            await().until(() -> Long.valueOf(0).equals(committed(admin, topic).get(0)));
        }
    }

    @Test
    void anOffsetOfAFormerTopicOfTheSameNameIsNotUsed() {
        String topic = Brokers.kafka().topic("former", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 7, Start.metadata("AAAAAAAAAAAAAAAAAAAAAA"));

        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 10);
            assertThat(engine.offsets(partition).get(0)).isZero();
            assertThat(warnings.of(topic)).singleElement().asString().contains("belongs to a former topic");
        }
    }

    @Test
    void aTopicThatWasCreatedAgainWhileNobodyReadIsReadFromItsStartThoughACommitCameLate() {
        String topic = Brokers.kafka().topic("recreated", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        String sourceId;
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 10);
            engine.call(() -> engine.source.commit(partition, 7));
            await().until(() -> !engine.events("committed").isEmpty());
            sourceId = engine.events("assigned").get(0).facts().sourceId();
        }
        OffsetAndMetadata former = offset(topic);
        get(admin.deleteTopics(List.of(topic)).all());
        Brokers.kafka().createTopic(topic, 1);
        fill(servers, topic, 1, 20);
        commit(topic, former.offset(), former.metadata());

        try (Warnings warnings = new Warnings();
                Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 20);
            assertThat(engine.offsets(partition).get(0)).isZero();
            Engine.Event assigned = engine.events("assigned").get(0);
            assertThat(assigned.facts().sourceId()).isNotEqualTo(sourceId);
            assertThat(assigned.facts().committed()).as("not a reset").isEqualTo(-1);
            assertThat(warnings.of(topic)).singleElement().asString().contains("belongs to a former topic");
            engine.call(() -> engine.source.commit(partition, 3));
            await().until(() -> !engine.events("committed").isEmpty());
            assertThat(offset(topic))
                    .isEqualTo(new OffsetAndMetadata(
                            3, Start.metadata(assigned.facts().sourceId())));
        }
    }

    @Test
    void anOffsetThatAnotherToolSetWhileNobodyReadIsHonoured() {
        String topic = Brokers.kafka().topic("reset", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 10);
            engine.call(() -> engine.source.commit(partition, 7));
            await().until(() -> !engine.events("committed").isEmpty());
        }
        for (long to : new long[] {2, 9}) {
            commit(topic, to, "");
            try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
                await().until(() -> engine.delivered(partition).size() == 10 - to);
                assertThat(engine.offsets(partition).get(0)).isEqualTo(to);
                assertThat(engine.events("assigned").get(0).facts().committed()).isEqualTo(to);
            }
        }
    }

    @Test
    void metadataOfOthersBesideACommittedOffsetIsIgnored() {
        String topic = Brokers.kafka().topic("foreign", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 7, "{\"somebody\":\"else's\"}");

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> engine.delivered(partition).size() == 3);
            assertThat(engine.offsets(partition).get(0)).isEqualTo(7);
        }
    }

    @Test
    void allRecordsComeOnceAndInOrderWhilePartitionsArePausedAndResumed() {
        String topic = Brokers.kafka().topic("busy", 4);
        fill(servers, topic, 4, 5_000);
        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            int round = 0;
            while (engine.deliveredCount() < 20_000) {
                Partition partition = Partition.of(topic, round++ % 4);
                engine.call(() -> engine.source.pause(partition));
                engine.call(() -> engine.source.commit(partition, engine.position.getOrDefault(partition, 0L)));
                engine.call(() -> engine.source.resume(partition));
            }
            for (int i = 0; i < 4; i++) {
                assertThat(engine.offsets(Partition.of(topic, i)))
                        .containsExactlyElementsOf(
                                LongStream.range(0, 5_000).boxed().toList());
            }
        }
    }

    private void deleteBefore(String topic, long offset) {
        get(admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                .all());
    }

    private OffsetAndMetadata offset(String topic) {
        return get(admin.listConsumerGroupOffsets("tandem." + topic).partitionsToOffsetAndMetadata())
                .get(new TopicPartition(topic, 0));
    }

    private void commit(String topic, long offset, String metadata) {
        get(admin.alterConsumerGroupOffsets(
                        "tandem." + topic,
                        Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(offset, metadata)))
                .all());
    }
}
