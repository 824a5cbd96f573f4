package com.example.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class ParcelsKafkaIT extends ParcelsSuite {

    private static final int PARTITIONS = 16;

    @Override
    String source() {
        return "kafka";
    }

    @Override
    String broker() {
        return Brokers.kafka().bootstrapServers();
    }

    @Override
    String names() {
        return "topic: \"" + name + "\", group: \"" + name + "\"";
    }

    @Override
    void awaitReady() {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> Brokers.kafka()
                                .admin()
                                .describeTopics(List.of(name))
                                .allTopicNames()
                                .get()
                                .get(name)
                                .partitions()
                                .size()
                        == PARTITIONS);
    }

    /** Every key lies in the partition that Kafka's own producer would choose. */
    @Override
    void assertPlaces() {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker(), "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(IntStream.range(0, PARTITIONS)
                    .mapToObj(number -> new TopicPartition(name, number))
                    .toList());
            await().atMost(PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() == 13;
            });
        }
        assertThat(records)
                .allSatisfy(record -> assertThat(record.partition())
                        .as(record.key())
                        .isEqualTo(BuiltInPartitioner.partitionForKey(
                                record.key().getBytes(StandardCharsets.UTF_8), PARTITIONS)));
    }
}
