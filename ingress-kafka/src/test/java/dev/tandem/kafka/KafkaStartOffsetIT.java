package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.committed;
import static dev.tandem.kafka.TestTopics.fill;
import static dev.tandem.kafka.TestTopics.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where reading of a partition starts. */
class KafkaStartOffsetIT {

    private String servers;
    private Admin admin;

    @BeforeEach
    void connect() {
        servers = Brokers.kafka().bootstrapServers();
        admin = Brokers.kafka().admin();
    }

    @Test
    void startsAtTheLogsStartWithoutACommittedOffset() {
        String topic = Brokers.kafka().topic("start", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        deleteBefore(topic, 6);

        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 4);
            assertThat(driver.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(driver.events("assigned").get(0).facts().committed()).isEqualTo(-1);
            assertThat(driver.events("assigned").get(0).facts().logStart()).isEqualTo(6);
            assertThat(warnings.of(topic)).isEmpty();
            // The start is committed, so that later deletions are noticed.
            await().until(() -> Long.valueOf(6).equals(committed(admin, topic).get(0)));
            assertThat(driver.events("committed")).isEmpty();
        }
        try (KafkaSourceDriver again = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
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
    void reportsOffsetsDeletedBeforeTheyWereRead() {
        String topic = Brokers.kafka().topic("expired", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 2, "");
        deleteBefore(topic, 6);

        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 4);
            assertThat(driver.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(driver.events("assigned").get(0).facts().committed()).isEqualTo(2);
            assertThat(driver.events("assigned").get(0).facts().logStart()).isEqualTo(6);
            assertThat(warnings.of(topic)).singleElement().asString().contains("offsets 2 to 5 (4) were deleted");
            assertThat(driver.events("delivered").get(0).number())
                    .as("the prefix may pass the gap before a record arrives")
                    .isEqualTo(6);
        }
    }

    @Test
    void reportsOffsetsDeletedBeforeAPartitionIsOpened() {
        String topic = Brokers.kafka().topic("expiring", 1);
        Partition partition = Partition.of(topic, 0);
        KafkaSourceDriver driver = new KafkaSourceDriver(KafkaSettings.of(servers, topic));
        driver.onAssigned = each -> {};
        driver.start();
        try (LoggedWarnings warnings = new LoggedWarnings();
                driver) {
            fill(servers, topic, 1, 10);
            await().until(() -> !driver.events("assigned").isEmpty());
            deleteBefore(topic, 6);

            driver.call(() -> driver.source.open(partition));

            await().until(() -> driver.delivered(partition).size() == 4);
            assertThat(driver.offsets(partition)).containsExactly(6L, 7L, 8L, 9L);
            assertThat(driver.events("delivered").get(0).number()).isEqualTo(6);
            assertThat(driver.events("lost")).isEmpty();
            assertThat(warnings.of(topic)).singleElement().asString().contains("offsets 0 to 5 (6) were deleted");
        }
    }

    @Test
    void readsALogTruncatedBelowTheCommittedOffsetFromItsStart() {
        String topic = Brokers.kafka().topic("cut", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 5);
        commit(topic, 1_000, "");

        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 5);
            assertThat(driver.events())
                    .extracting(KafkaSourceDriver.Event::kind)
                    .startsWith("assigned", "lost", "assigned");
            assertThat(driver.events("assigned"))
                    .extracting(each -> each.facts().committed())
                    .containsExactly(1_000L, 0L);
            assertThat(warnings.of(topic)).anyMatch(each -> each.contains("ends before the committed offset 1000"));
            await().until(() -> Long.valueOf(0).equals(committed(admin, topic).get(0)));
        }
    }

    @Test
    void ignoresTheOffsetOfAFormerTopicOfTheSameName() {
        String topic = Brokers.kafka().topic("former", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 7, CommitMetadata.settled("AAAAAAAAAAAAAAAAAAAAAA"));

        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 10);
            assertThat(driver.offsets(partition).get(0)).isZero();
            assertThat(warnings.of(topic)).singleElement().asString().contains("belongs to a former topic");
        }
    }

    @Test
    void readsARecreatedTopicFromItsStartDespiteALateCommit() {
        String topic = Brokers.kafka().topic("recreated", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        String sourceId;
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 10);
            driver.call(() -> driver.source.commit(partition, 7));
            await().until(() -> !driver.events("committed").isEmpty());
            sourceId = driver.events("assigned").get(0).facts().sourceId();
        }
        OffsetAndMetadata former = offset(topic);
        get(admin.deleteTopics(List.of(topic)).all());
        Brokers.kafka().createTopic(topic, 1);
        fill(servers, topic, 1, 20);
        commit(topic, former.offset(), former.metadata());

        try (LoggedWarnings warnings = new LoggedWarnings();
                KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 20);
            assertThat(driver.offsets(partition).get(0)).isZero();
            KafkaSourceDriver.Event assigned = driver.events("assigned").get(0);
            assertThat(assigned.facts().sourceId()).isNotEqualTo(sourceId);
            assertThat(assigned.facts().committed())
                    .as("not an operator's reset")
                    .isEqualTo(-1);
            assertThat(warnings.of(topic)).singleElement().asString().contains("belongs to a former topic");
            driver.call(() -> driver.source.commit(partition, 3));
            await().until(() -> !driver.events("committed").isEmpty());
            assertThat(offset(topic))
                    .isEqualTo(new OffsetAndMetadata(
                            3,
                            Optional.of(0),
                            CommitMetadata.settled(assigned.facts().sourceId())));
        }
    }

    @Test
    void usesAnOffsetSetByAnotherTool() {
        String topic = Brokers.kafka().topic("reset", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 10);
            driver.call(() -> driver.source.commit(partition, 7));
            await().until(() -> !driver.events("committed").isEmpty());
        }
        for (long to : new long[] {2, 9}) {
            commit(topic, to, "");
            try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
                await().until(() -> driver.delivered(partition).size() == 10 - to);
                assertThat(driver.offsets(partition).get(0)).isEqualTo(to);
                assertThat(driver.events("assigned").get(0).facts().committed()).isEqualTo(to);
            }
        }
    }

    @Test
    void ignoresMetadataThatOthersCommitted() {
        String topic = Brokers.kafka().topic("foreign", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        commit(topic, 7, "{\"written\":\"by others\"}");

        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.delivered(partition).size() == 3);
            assertThat(driver.offsets(partition).get(0)).isEqualTo(7);
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
