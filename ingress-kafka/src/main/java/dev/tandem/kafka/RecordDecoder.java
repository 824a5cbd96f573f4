package dev.tandem.kafka;

import dev.tandem.task.Delivery;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Turns Kafka records into deliveries. */
final class RecordDecoder {

    private final TaskHeaders headers;

    RecordDecoder(String queue, int maxPayload) {
        headers = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, maxPayload);
    }

    List<Delivery> deliveries(List<ConsumerRecord<byte[], byte[]>> records, long arrivedAt) {
        List<Delivery> deliveries = new ArrayList<>(records.size());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            deliveries.add(delivery(record, arrivedAt));
        }
        return deliveries;
    }

    Delivery delivery(ConsumerRecord<byte[], byte[]> record, long arrivedAt) {
        List<Field> fields = List.of();
        for (Header header : record.headers()) {
            if (fields.isEmpty()) {
                fields = new ArrayList<>();
            }
            fields.add(new Field(header.key(), header.value()));
        }
        Origin origin = new Origin(record.key(), null, null, null, record.timestamp(), arrivedAt);
        Read read = headers.read(fields, origin, record.value());
        return new Delivery(record.offset(), read.task(), read.unreadable(), null, false);
    }
}
