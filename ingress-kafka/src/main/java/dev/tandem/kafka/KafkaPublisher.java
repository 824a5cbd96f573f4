package dev.tandem.kafka;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.fanout.Subtask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes tasks to the Kafka topics of their queues. All in-sync replicas acknowledge a task, and retries cause no
 * duplicates. The publisher connects at the first task. Publishing waits at most 5 s for a topic's metadata or for room
 * in the buffer; a task that is not acknowledged within 30 s fails.
 */
public final class KafkaPublisher implements Publisher {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /** How often the producer waits its 5 s for a topic that may be about to be created: 30 s in all. */
    private static final int TOPIC_ATTEMPTS = 6;

    private record Target(String topic, TaskHeaders headers, TopicWait topicWait) {}

    private final String servers;
    private final Map<String, String> properties;
    private final int maxPayload;
    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final CachedHeaders types = new CachedHeaders(TaskHeaders.TYPE);
    private final CachedHeaders contentTypes = new CachedHeaders(TaskHeaders.CONTENT_TYPE);
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private boolean closed;

    /**
     * @param queues the queues that tasks may be published to, all of one cluster
     * @throws IllegalArgumentException if there is no queue, or if their servers or properties differ
     */
    public KafkaPublisher(Collection<KafkaSettings> queues) {
        this(queues, 0);
    }

    private KafkaPublisher(Collection<KafkaSettings> queues, int attempts) {
        KafkaSettings first = queues.stream()
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("A publisher needs one queue or more"));
        servers = first.bootstrapServers();
        properties = first.properties();
        // Whoever sets the time that a producer may block means it.
        int topicAttempts = properties.containsKey(ProducerConfig.MAX_BLOCK_MS_CONFIG) ? 0 : attempts;
        maxPayload = queues.stream().mapToInt(KafkaSettings::maxPayload).max().orElseThrow();
        for (KafkaSettings each : queues) {
            if (!each.bootstrapServers().equals(servers) || !each.properties().equals(properties)) {
                throw new IllegalArgumentException("The queues '" + first.queue() + "' and '" + each.queue()
                        + "' belong to different clusters: create a publisher for each cluster");
            }
            targets.put(
                    each.queue(),
                    new Target(
                            each.topic(),
                            new TaskHeaders(each.queue(), TaskHeaders.Binding.KAFKA, each.maxPayload()),
                            new TopicWait(topicAttempts)));
        }
    }

    /**
     * Returns a publisher whose first task of a topic waits for that topic for 30 s instead of 5 s, unless the properties say
     * {@code max.block.ms}.
     *
     * @param queues the queues that tasks may be published to, all of one cluster
     * @throws IllegalArgumentException if there is no queue, or if their servers or properties differ
     */
    public static KafkaPublisher awaitingTopics(Collection<KafkaSettings> queues) {
        return new KafkaPublisher(queues, TOPIC_ATTEMPTS);
    }

    /** Returns the partition that this publisher, and every producer of Kafka's own, chooses for a key. */
    public static int partitionOf(String key, int partitions) {
        return KeyPlacement.expected(key.getBytes(StandardCharsets.UTF_8), partitions);
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        CompletableFuture<PublishedId> answer = new CompletableFuture<>();
        String id = task.id();
        try {
            Target target = target(task);
            send(target, record(task, target), (metadata, failure) -> {
                if (failure == null) {
                    answer.complete(published(id, metadata));
                } else {
                    answer.completeExceptionally(failed(target, failure));
                }
            });
        } catch (PublishException e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }

    @Override
    public Publication prepare(Task task) {
        Target target = target(task);
        ProducerRecord<byte[], byte[]> record = record(task, target);
        return end -> {
            try {
                send(target, record, new Told(this, target, end));
            } catch (PublishException e) {
                end.accept(e);
            } catch (RuntimeException | Error e) { // no memory, or a compression library that cannot be loaded
                end.accept(new PublishException("The task cannot be published: " + e, e));
            }
        };
    }

    /** Holds no more than is needed once the record is acknowledged: tens of thousands of these wait in a busy client. */
    private record Told(KafkaPublisher publisher, Target target, Consumer<@Nullable PublishException> end)
            implements Callback {
        @Override
        public void onCompletion(RecordMetadata metadata, @Nullable Exception failure) {
            end.accept(failure == null ? null : publisher.failed(target, failure));
        }
    }

    private Target target(Task task) {
        Target target = targets.get(task.queue());
        if (target == null) {
            throw new PublishException(
                    "The queue '" + task.queue() + "' has no Kafka topic here: use one of " + targets.keySet());
        }
        return target;
    }

    /** @throws PublishException if the producer cannot be used; then the callback is not called */
    private void send(Target target, ProducerRecord<byte[], byte[]> record, Callback callback) {
        try {
            Producer<byte[], byte[]> sending = producer();
            TimeoutException unknown = target.topicWait().await(sending, target.topic());
            if (unknown != null) {
                callback.onCompletion(null, unknown);
                return;
            }
            Future<RecordMetadata> unused = sending.send(record, callback);
        } catch (KafkaException | IllegalStateException e) {
            throw new PublishException("The task cannot be published: " + KafkaErrors.explain(e), e);
        }
    }

    private static PublishedId published(@Nullable String id, RecordMetadata metadata) {
        String place = metadata.topic() + ":" + metadata.partition() + ":" + metadata.offset();
        return new PublishedId(id == null ? place : id, place);
    }

    private PublishException failed(Target target, Exception problem) {
        if (problem instanceof RecordTooLargeException) {
            return new InvalidTaskException("The task cannot be published: it is too large for topic '" + target.topic()
                    + "' (" + KafkaErrors.explain(problem) + ")");
        }
        return new PublishException(
                "Topic '" + target.topic() + "' at " + servers + " did not acknowledge the task: "
                        + KafkaErrors.explain(problem),
                problem);
    }

    /** @throws InvalidTaskException if the record would be unreadable on arrival */
    private ProducerRecord<byte[], byte[]> record(Task task, Target target) {
        byte[] key = task.key() == null ? null : task.key().getBytes(StandardCharsets.UTF_8);
        Long sentAt = task.publishedAt() > 0 ? task.publishedAt() : null;
        if (!target.headers().isSurelyReadable(task)) {
            requireReadable(task, target, key);
        }
        Integer partition = key == null ? partitionOf(task, target) : null;
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(target.topic(), partition, sentAt, key, task.payload());
        TaskHeaders.write(task, new HeaderWriter(record.headers()));
        return record;
    }

    /**
     * Returns the partition of a subtask without a key: they take turns, so that a few of them are spread too, and two copies of one
     * are in one partition. For any other task null, which leaves it to Kafka's producer.
     */
    private @Nullable Integer partitionOf(Task task, Target target) {
        Subtask subtask = Subtask.of(task);
        if (subtask == null) {
            return null;
        }
        try {
            return subtask.turnOf(producer().partitionsFor(target.topic()).size());
        } catch (KafkaException | IllegalStateException e) {
            throw new PublishException("The task cannot be published: " + KafkaErrors.explain(e), e);
        }
    }

    private final class HeaderWriter implements TaskHeaders.Writer {

        private final Headers headers;

        HeaderWriter(Headers headers) {
            this.headers = headers;
        }

        @Override
        public void text(String name, String value) {
            headers.add(
                    switch (name) {
                        case TaskHeaders.TYPE -> types.with(value);
                        case TaskHeaders.CONTENT_TYPE -> contentTypes.with(value);
                        default -> new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
                    });
        }

        @Override
        public void bytes(String name, byte[] value) {
            headers.add(new RecordHeader(name, value));
        }
    }

    private static void requireReadable(Task task, Target target, byte @Nullable [] key) {
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        Origin origin = new Origin(key, null, null, null, task.publishedAt(), 0);
        String unreadable =
                target.headers().read(fields, origin, task.payload()).unreadable();
        if (unreadable != null) {
            throw new InvalidTaskException("The task cannot be published: " + unreadable);
        }
    }

    private Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> current = producer;
        return current == null ? open() : current;
    }

    private synchronized Producer<byte[], byte[]> open() {
        if (closed) {
            throw new PublishException("The task cannot be published: this publisher is closed");
        }
        Producer<byte[], byte[]> current = producer;
        if (current == null) {
            current = new KafkaProducer<>(
                    ClientProperties.producer(servers, properties, maxPayload),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
            producer = current;
        }
        return current;
    }

    /** Waits up to 10 s for the acknowledgements of published tasks. Those that are still missing then fail. */
    @Override
    public void close() {
        Producer<byte[], byte[]> closing;
        synchronized (this) {
            closed = true;
            closing = producer;
            producer = null;
        }
        if (closing != null) {
            closing.close(CLOSE_TIMEOUT);
        }
    }
}
