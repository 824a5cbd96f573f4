package dev.tandem.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Finds where a fetch ended. */
final class FetchedOffsets {

    private FetchedOffsets() {}

    /**
     * Returns the offsets behind the fetched records and the gaps between them. They are computed if the consumer names
     * none, since an interceptor may have replaced the records.
     */
    static Map<TopicPartition, OffsetAndMetadata> next(ConsumerRecords<byte[], byte[]> records) {
        if (!records.nextOffsets().isEmpty() || records.isEmpty()) {
            return records.nextOffsets();
        }
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (TopicPartition each : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> fetched = records.records(each);
            next.put(each, new OffsetAndMetadata(fetched.get(fetched.size() - 1).offset() + 1));
        }
        return next;
    }
}
