package dev.tandem.kafka;

import dev.tandem.task.MemoryBudget;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The bytes that a consumer fetches ahead, as they come from the broker: compressed. Besides the delivered tasks, all
 * consumers of a process together may have a quarter of the memory budget. A consumer fetches the next records of a partition
 * once it has returned all that it has of that partition, so each partition may have one fetch in memory. A batch that is
 * larger than its partition's share is fetched whole, since nothing could be read otherwise.
 *
 * @param perFetch {@code fetch.max.bytes}, of an answer of one broker
 * @param perPartition {@code max.partition.fetch.bytes}
 */
record FetchSizes(int perFetch, int perPartition) {

    private static final int MIN_PER_FETCH = 64 << 10;
    private static final int MAX_PER_FETCH = 16 << 20;
    private static final int MIN_PER_PARTITION = 4 << 10;
    /** Kafka's default. */
    private static final int MAX_PER_PARTITION = 1 << 20;

    private static final int SHARE_OF_MEMORY = 4;

    /** @param partitions of the topic, all of which may be assigned to this process */
    static FetchSizes of(MemoryBudget memory, int partitions) {
        long share = memory.bytes() / SHARE_OF_MEMORY / Math.max(1, memory.readers());
        return new FetchSizes((int) Math.max(MIN_PER_FETCH, Math.min(MAX_PER_FETCH, share / 2)), (int)
                Math.max(MIN_PER_PARTITION, Math.min(MAX_PER_PARTITION, share / Math.max(1, partitions))));
    }

    /** Adds them to the properties of a consumer, unless the user has set them. */
    Map<String, Object> in(Map<String, Object> properties, Map<String, String> ofUser) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, perFetch);
        all.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, perPartition);
        ofUser.forEach((name, value) -> {
            if (name.equals(ConsumerConfig.FETCH_MAX_BYTES_CONFIG)
                    || name.equals(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG)) {
                all.put(name, value);
            }
        });
        return all;
    }
}
