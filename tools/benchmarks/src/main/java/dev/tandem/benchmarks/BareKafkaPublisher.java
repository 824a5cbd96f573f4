package dev.tandem.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own producer with the settings of Tandem's client. Publishes tasks as a program without Tandem would. */
final class BareKafkaPublisher implements TaskFlood {

    private static final byte[] TYPE = "ship".getBytes(StandardCharsets.UTF_8);

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] payload;

    BareKafkaPublisher(String servers, String topic, byte[] payload) {
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
            byte[] key = ("k" + i).getBytes(StandardCharsets.UTF_8);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key, payload);
            record.headers().add("tandem-type", TYPE);
            Future<RecordMetadata> unused =
                    producer.send(record, (metadata, problem) -> acknowledgements.one(problem));
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
