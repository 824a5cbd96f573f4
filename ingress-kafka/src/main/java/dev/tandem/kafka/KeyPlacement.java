package dev.tandem.kafka;

import dev.tandem.task.LogEnds;
import dev.tandem.task.Source;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Notices records that lie in another partition than the one that Kafka's own producer chooses for their key. Order holds
 * within a partition, so two publishers that choose differently break the order of a key without any error. Knows where keys
 * move to when the topic gets more partitions. Used by the polling thread only, but for {@link #placement}.
 */
final class KeyPlacement implements Source.Growing {

    private final KafkaHealth health;
    private final KafkaClients clients;
    private final long windowMillis;
    private boolean warned;

    KeyPlacement(KafkaSettings settings, KafkaClients clients, KafkaHealth health) {
        this.health = health;
        this.clients = clients;
        this.windowMillis = settings.growthWindow().toMillis();
    }

    @Override
    public long windowMillis() {
        return windowMillis;
    }

    @Override
    public CompletionStage<LogEnds> lookUp(boolean withEnds) {
        return clients.lookUp(withEnds);
    }

    @Override
    public int placement(String key, int partitions) {
        return expected(key.getBytes(StandardCharsets.UTF_8), partitions);
    }

    /**
     * Counts the records that are elsewhere.
     *
     * @param partitions how many the topic has now; 0 if that is not known yet
     * @return whether there are such records, so that the topic may have more partitions
     */
    boolean check(List<ConsumerRecord<byte[], byte[]>> records, int partitions) {
        long outside = 0;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            byte[] key = key(record);
            // A consumer may learn of a new partition later than its publishers.
            if (key != null && record.partition() < partitions && expected(key, partitions) != record.partition()) {
                outside++;
                if (!warned) {
                    warned = true;
                    health.warn(describe(record, expected(key, partitions), partitions));
                }
            }
        }
        if (outside > 0) {
            health.misplaced(outside);
        }
        return outside > 0;
    }

    /** Returns the partition that Kafka's producer, Kafka Streams and the HTTP API choose. */
    static int expected(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    private static byte @Nullable [] key(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() != null) {
            return record.key();
        }
        Header header = record.headers().lastHeader(TaskHeaders.KEY);
        return header == null ? null : header.value();
    }

    private static String describe(ConsumerRecord<byte[], byte[]> record, int expected, int partitions) {
        return "the record at offset " + record.offset() + " of partition " + record.partition()
                + " has a key that Kafka's"
                + " own producer puts into partition " + expected + " of " + partitions
                + ". Tasks of one key run in order only if all of them are in one partition. Let all publishers choose it in"
                + " the same way: set partitioner=murmur2_random in clients that are built on librdkafka, and send the key"
                + " as the record's key. Records that were published while the topic had fewer partitions count too."
                + " tandem_records_misplaced_total counts on; this is logged once";
    }
}
