package dev.tandem.benchmarks;

import static dev.tandem.task.Utf8.bytes;

import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own producer with the settings of Tandem's client. */
final class BareKafkaPublisher implements TaskFlood {

    private static final byte[] TYPE = bytes("ship");
    private static final byte[] CONTENT_TYPE = bytes("application/octet-stream");

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] payload;
    private final boolean sameHeaders;

    /** @param sameHeaders whether records have the headers that Tandem's client gives them, or none */
    BareKafkaPublisher(String servers, String topic, byte[] payload, boolean sameHeaders) {
        this.sameHeaders = sameHeaders;
        this.topic = topic;
        this.payload = payload;
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "acks",
                        "all",
                        "enable.idempotence",
                        "true",
                        "max.in.flight.requests.per.connection",
                        "1",
                        "batch.size",
                        "65536",
                        "linger.ms",
                        "2"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @Override
    public void publish(int tasks, Acknowledgements acknowledgements) {
        for (int i = 0; i < tasks; i++) {
            byte[] key = bytes("k" + i);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key, payload);
            if (sameHeaders) {
                record.headers()
                        .add("tandem-id", bytes("1f2e3d4c5b6a7-" + Long.toString(i, Character.MAX_RADIX)))
                        .add("tandem-type", TYPE)
                        .add("content-type", CONTENT_TYPE);
            }
            Future<RecordMetadata> unused = producer.send(record, (metadata, problem) -> acknowledgements.one(problem));
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
