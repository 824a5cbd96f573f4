package dev.tandem.kafka;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A plain producer, as any application has one, and the offsets that a group committed. */
final class TestTopics {

    private TestTopics() {}

    static KafkaProducer<byte[], byte[]> producer(String servers, Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(more);
        all.put("bootstrap.servers", servers);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Sends {@code each} records to each of the partitions, the first one by itself: a broker that has just learned of
     * a topic may refuse a first batch and accept the second, and then the first stays out of order.
     */
    static void fill(String servers, String topic, int partitions, int each) {
        try (KafkaProducer<byte[], byte[]> producer = producer(servers, Map.of("linger.ms", 5))) {
            for (int partition = 0; partition < partitions; partition++) {
                get(producer.send(record(topic, partition, null, "task 0")));
            }
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 1; i < each; i++) {
                for (int partition = 0; partition < partitions; partition++) {
                    sent.add(producer.send(record(topic, partition, null, "task " + i)));
                }
            }
            sent.forEach(TestTopics::get);
        }
    }

    static ProducerRecord<byte[], byte[]> record(String topic, int partition, @Nullable String key, String value) {
        return new ProducerRecord<>(topic, partition, key == null ? null : bytes(key), bytes(value));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the committed offsets by partition, of the default group of the queue named like the topic. */
    static Map<Integer, Long> committed(Admin admin, String topic) {
        Map<Integer, Long> committed = new HashMap<>();
        get(admin.listConsumerGroupOffsets("tandem." + topic).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> committed.put(partition.partition(), offset.offset()));
        return committed;
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
