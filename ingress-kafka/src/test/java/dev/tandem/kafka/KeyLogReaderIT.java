package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.get;
import static dev.tandem.kafka.TestTopics.record;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kafka.KeyLogReader.Bounds;
import dev.tandem.testkit.Brokers;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Looking for the tasks of a key in a log. */
@Execution(ExecutionMode.CONCURRENT)
class KeyLogReaderIT {

    private static final int RECORDS = 3_000;
    private static final Bounds AMPLE = new Bounds(2_000, 100_000, 1 << 30, PATIENCE);

    private final String servers = Brokers.kafka().bootstrapServers();

    /** Returns a topic with records of the keys a, b, c, a, b, c… of one size. */
    private String topic(String name, int size) {
        String topic = Brokers.kafka().topic(name, 1);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(record(topic, 0, List.of("a", "b", "c").get(i % 3), "x".repeat(size)));
            }
        }
        return topic;
    }

    private LogPart read(String topic, Bounds bounds, String key, long before) {
        return new KeyLogReader(bounds).read(KafkaSettings.of(servers, topic), 0, key, before);
    }

    private static List<Long> offsets(LogPart part) {
        return part.tasks().stream().map(LoggedTask::offset).toList();
    }

    @Test
    void allTasksOfTheKeyAreFoundTheLatestFirstAndNoGroupComesIntoBeing() throws Exception {
        String topic = topic("key-log", 10);
        get(Brokers.kafka()
                .admin()
                .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(30)))
                .all());

        LogPart part = read(topic, AMPLE, "b", -1);

        assertThat(part.stop()).isEqualTo(LogPart.Stop.BEGINNING);
        assertThat(List.of(part.first(), part.from(), part.to(), part.end())).containsExactly(30L, 30L, 3_000L, 3_000L);
        assertThat(part.records()).isEqualTo(2_970);
        assertThat(offsets(part)).hasSize(990).startsWith(2_998L, 2_995L).endsWith(31L);
        assertThat(part.oldest()).isPositive();
        assertThat(Brokers.kafka().admin().listGroups().all().get().stream()
                        .map(each -> each.groupId())
                        .collect(Collectors.toSet()))
                .doesNotContain("tandem." + topic);
    }

    @Test
    void aReadingEndsAtEachBoundAndGoesOnWithoutAGap() {
        String topic = topic("key-log-bounds", 1_000);

        LogPart some = read(topic, new Bounds(5, 100_000, 1 << 30, PATIENCE), "a", -1);
        assertThat(some.stop()).isEqualTo(LogPart.Stop.FOUND);
        assertThat(offsets(some)).containsExactly(2_997L, 2_994L, 2_991L, 2_988L, 2_985L);
        assertThat(some.from()).as("the first 16 records").isEqualTo(2_984);

        LogPart next = read(topic, new Bounds(2_000, 500, 1 << 30, PATIENCE), "a", some.from());
        assertThat(next.stop()).isEqualTo(LogPart.Stop.RECORDS);
        assertThat(next.records()).isEqualTo(500);
        assertThat(List.of(next.from(), next.to())).containsExactly(2_484L, 2_984L);
        assertThat(offsets(next)).startsWith(2_982L).hasSize(167);

        LogPart small = read(topic, new Bounds(2_000, 100_000, 200_000, PATIENCE), "a", -1);
        assertThat(small.stop()).isEqualTo(LogPart.Stop.BYTES);
        assertThat(small.bytes()).isBetween(150_000L, 260_000L);
        assertThat(small.to() - small.from()).isEqualTo(small.records());
    }

    @Test
    void theKeyIsFoundWhereverARecordMayNameIt() {
        String topic = Brokers.kafka().topic("key-log-headers", 1);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            producer.send(record(topic, 0, "\u952e", "its own"));
            producer.send(withHeader(record(topic, 0, "\u952e", "another's"), "tandem-key", "other"));
            producer.send(withHeader(record(topic, 0, null, "a header's"), "tandem-key", "\u952e"));
            producer.send(withHeader(record(topic, 0, "b", "an attribute's"), "ce_partitionkey", "\u952e"));
            String event = "{\"specversion\": \"1.0\", \"id\": \"1\", \"source\": \"s\", \"type\": \"t\", "
                    + "\"partitionkey\": \"\u952e\", \"data\": 1}";
            producer.send(withHeader(record(topic, 0, "b", event), "content-type", "application/cloudevents+json"));
            producer.send(record(topic, 0, "b", "another's"));
            producer.send(new ProducerRecord<>(topic, 0, new byte[] {(byte) 0xff}, new byte[0]));
        }

        assertThat(offsets(read(topic, AMPLE, "\u952e", -1))).containsExactly(4L, 3L, 2L, 0L);
        assertThat(offsets(read(topic, AMPLE, "0xff", -1))).containsExactly(6L);
    }

    private static ProducerRecord<byte[], byte[]> withHeader(
            ProducerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(name, TestTopics.bytes(value));
        return record;
    }

    @Test
    void anEmptyLogHasNothing() {
        LogPart part = read(Brokers.kafka().topic("key-log-empty", 1), AMPLE, "a", -1);

        assertThat(part.tasks()).isEmpty();
        assertThat(part.stop()).isEqualTo(LogPart.Stop.BEGINNING);
        assertThat(part.from()).isEqualTo(part.to()).isZero();
    }
}
