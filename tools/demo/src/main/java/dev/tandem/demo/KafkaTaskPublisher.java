package dev.tandem.demo;

import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Publishes tasks with a plain Kafka producer. Not thread-safe. */
final class KafkaTaskPublisher implements TaskPublisher {

    private final KafkaProducer<String, byte[]> producer;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    KafkaTaskPublisher(String servers) {
        producer = new KafkaProducer<>(
                // One request at a time: right after a topic was created, a broker may reject one batch and accept the
                // next, which puts them out of order.
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "acks",
                        "all",
                        "linger.ms",
                        "5",
                        "max.block.ms",
                        "60000",
                        "max.in.flight.requests.per.connection",
                        "1"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    /** Creates the topics that do not exist yet, so that publishing need not wait for an executor to create them. */
    static void createTopics(String servers, Map<String, Integer> partitions) throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            List<NewTopic> topics = partitions.entrySet().stream()
                    .map(topic -> new NewTopic(topic.getKey(), Optional.of(topic.getValue()), Optional.empty()))
                    .toList();
            for (var created : admin.createTopics(topics).values().values()) {
                try {
                    created.get();
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw new IllegalStateException("Cannot create a topic: " + e.getCause(), e);
                    }
                }
            }
        }
    }

    @Override
    public void send(DemoTask task, long nowMillis) {
        ProducerRecord<String, byte[]> message = new ProducerRecord<>(
                task.queue(), null, nowMillis, task.key(), task.payload().getBytes(StandardCharsets.UTF_8));
        message.headers().add(TaskHeaders.ID, task.id().getBytes(StandardCharsets.UTF_8));
        if (task.delayed()) {
            message.headers().add(TaskHeaders.DELAY, task.delay().toString().getBytes(StandardCharsets.UTF_8));
        }
        Future<RecordMetadata> unused = producer.send(message, (metadata, problem) -> {
            if (problem != null) {
                failure.compareAndSet(null, problem);
            }
        });
        check();
    }

    private void check() {
        Exception problem = failure.get();
        if (problem != null) {
            throw new IllegalStateException("Kafka did not accept a message: " + problem.getMessage(), problem);
        }
    }

    @Override
    public void close() {
        producer.close();
        check();
    }
}
