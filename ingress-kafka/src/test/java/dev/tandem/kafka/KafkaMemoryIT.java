package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A poll returns no more than fits into memory, and the next one goes on where it ended. */
class KafkaMemoryIT {

    private static final int PARTITIONS = 3;
    private static final int EACH = 300;
    private static final int RECORD_BYTES = 10_000;
    private static final long BYTES = 100_000;

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "zstd"})
    void aPollReturnsWhatFitsAndNothingIsSkipped(String compression) {
        String topic = Brokers.kafka().topic("memory", PARTITIONS);
        fill(topic, compression);
        MemoryBudget memory = MemoryBudget.ofBytes(BYTES);
        AtomicLong most = new AtomicLong();
        KafkaSourceDriver driver =
                new KafkaSourceDriver(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic), memory);
        driver.onDelivered = () -> most.accumulateAndGet(memory.used(), Math::max);
        driver.start();
        try (driver) {
            await().until(() -> driver.deliveredCount() >= PARTITIONS * EACH);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(driver.offsets(Partition.of(topic, partition)))
                        .containsExactlyElementsOf(
                                LongStream.range(0, EACH).boxed().toList());
            }
            assertThat(driver.events("lost")).isEmpty();
        }
        assertThat(most).hasValueBetween(2L * RECORD_BYTES, BYTES);
        assertThat(memory.used()).isZero();
    }

    private static void fill(String topic, String compression) {
        Map<String, Object> batches =
                Map.of("linger.ms", 50, "batch.size", EACH * RECORD_BYTES, "compression.type", compression);
        byte[] value = new byte[RECORD_BYTES];
        try (KafkaProducer<byte[], byte[]> producer =
                TestTopics.producer(Brokers.kafka().bootstrapServers(), batches)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TestTopics.get(producer.send(new ProducerRecord<>(topic, partition, null, value)));
                for (int i = 1; i < EACH; i++) {
                    producer.send(new ProducerRecord<>(topic, partition, null, value));
                }
            }
        }
    }
}
