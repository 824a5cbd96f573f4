package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedKafka;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A fresh topic with a plain producer. The queue of the same name commits its offsets. */
final class TestTopic implements AutoCloseable {

    private final SharedKafka kafka = Brokers.kafka();
    private final String name;
    private final int partitions;
    private final KafkaProducer<String, byte[]> producer;
    private final Queue<Exception> unsent = new ConcurrentLinkedQueue<>();

    TestTopic(String prefix, int partitions) {
        this.name = kafka.topic(prefix, partitions);
        this.partitions = partitions;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    String name() {
        return name;
    }

    void publish(String key, byte[] payload) {
        producer.send(new ProducerRecord<>(name, key, payload), (place, failure) -> {
            if (failure != null) {
                unsent.add(failure);
            }
        });
    }

    void flush() {
        producer.flush();
        assertThat(unsent).as("failures to publish").isEmpty();
    }

    /** Waits until the queue has committed all records of the topic. */
    void awaitAllCommitted(Duration limit) {
        flush();
        await("commits of " + name)
                .atMost(limit)
                .untilAsserted(() -> assertThat(committed()).isEqualTo(ends()));
    }

    /** Returns the committed offsets above 0 by partition. */
    private Map<Integer, Long> committed() throws ExecutionException, InterruptedException {
        Map<Integer, Long> committed = new TreeMap<>();
        kafka.admin()
                .listConsumerGroupOffsets("tandem." + name)
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, offset) -> putAboveZero(committed, partition, offset.offset()));
        return committed;
    }

    /** Returns the end offsets above 0 by partition. */
    private Map<Integer, Long> ends() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> asked = IntStream.range(0, partitions)
                .boxed()
                .collect(Collectors.toMap(
                        partition -> new TopicPartition(name, partition), partition -> OffsetSpec.latest()));
        Map<Integer, Long> ends = new TreeMap<>();
        kafka.admin()
                .listOffsets(asked)
                .all()
                .get()
                .forEach((partition, end) -> putAboveZero(ends, partition, end.offset()));
        return ends;
    }

    private static void putAboveZero(Map<Integer, Long> offsets, TopicPartition partition, long offset) {
        if (offset > 0) {
            offsets.put(partition.partition(), offset);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
