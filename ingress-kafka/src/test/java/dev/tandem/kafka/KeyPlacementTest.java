package dev.tandem.kafka;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.MemoryBudget;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyPlacementTest {

    private final KafkaSettings settings = KafkaSettings.of("localhost:9092", "placement");
    private final KafkaHealth health = new KafkaHealth(settings, InstantSource.system());
    private final PollMemory memory = new PollMemory(MemoryBudget.ofHeap());
    private final KafkaClients clients = new KafkaClients(settings, health, new AnswerQueue(new PollWakeup()), memory);
    private final KeyPlacement placement = new KeyPlacement(settings, clients, health);

    private static ConsumerRecord<byte[], byte[]> record(int partition, @Nullable String key) {
        return new ConsumerRecord<>("placement", partition, 7, key == null ? null : bytes(key), bytes("x"));
    }

    @Test
    void theExpectedPartitionIsThatOfKafkasProducer() {
        IntStream.range(0, 1_000)
                .forEach(i -> assertThat(KeyPlacement.expected(bytes("key-" + i), 16))
                        .isEqualTo(BuiltInPartitioner.partitionForKey(bytes("key-" + i), 16)));
    }

    @Test
    void recordsInOtherPartitionsAreCountedAndLoggedOnce() {
        int own = KeyPlacement.expected(bytes("a"), 4);
        int other = (own + 1) % 4;
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThat(placement.check(List.of(record(own, "a"), record(other, null)), 4))
                    .isFalse();
            assertThat(health.status().misplaced()).isZero();

            placement.check(List.of(record(other, "a"), record(own, "a"), record(other, "a")), 4);
            assertThat(placement.check(List.of(record(other, "a")), 4)).isTrue();

            assertThat(health.status().misplaced()).isEqualTo(3);
            assertThat(warnings.of("placement"))
                    .singleElement()
                    .asString()
                    .contains("the record at offset 7 of partition " + other, "into partition " + own + " of 4")
                    .doesNotContain("'a'");
        }
    }

    @Test
    void aKeyInTheHeaderCountsWhereTheRecordHasNone() {
        int other = (KeyPlacement.expected(bytes("a"), 4) + 1) % 4;
        ConsumerRecord<byte[], byte[]> record = record(other, null);
        record.headers().add("tandem-key", bytes("a"));

        placement.check(List.of(record), 4);

        assertThat(health.status().misplaced()).isOne();
    }

    @Test
    void nothingIsSaidBeforeThePartitionsAreKnown() {
        placement.check(List.of(record(3, "a"), record(5, "a")), 0);
        placement.check(List.of(record(5, "a")), 4);

        assertThat(health.status().misplaced()).isZero();
    }
}
