package dev.tandem.kafka;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.LogText;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the events of one queue to a Kafka topic, which it creates if it is missing. Events of one key go to one partition, in
 * their order: a record of a CloudEvent in binary mode, whose key is that of the task.
 */
public final class KafkaEventPublisher implements EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(KafkaEventPublisher.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);
    private static final long TOPIC_SECONDS = 15;
    /** An event is small: ids, types, keys and errors have bounds. */
    private static final int MAX_EVENT_BYTES = 64 << 10;

    private final KafkaSettings settings;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private boolean topicExists;
    private boolean closed;

    /** @param settings with the topic of the events, and the number of partitions that it gets if it must be created */
    public KafkaEventPublisher(KafkaSettings settings) {
        this.settings = settings;
    }

    @Override
    public void publish(List<EventMessage> events) {
        if (!topicExists) {
            ensureTopic();
            topicExists = true;
        }
        Producer<byte[], byte[]> to = producer();
        try {
            new RecordSequence(to).send(events.stream().map(this::record).toList());
        } catch (ExecutionException e) {
            forget(to);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof org.apache.kafka.common.errors.InterruptException) {
                throw interrupted(cause);
            }
            // If the topic was removed, the next attempt creates it again.
            topicExists = !(cause instanceof UnknownTopicOrPartitionException
                    || cause instanceof org.apache.kafka.common.errors.TimeoutException);
            throw new PublishException(notAcknowledged(cause), cause);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static PublishException interrupted(Throwable problem) {
        Thread.currentThread().interrupt();
        return new PublishException("The events were not published: the thread was interrupted", problem);
    }

    /** The next attempt makes a new producer. */
    private synchronized void forget(Producer<byte[], byte[]> failed) {
        if (producer == failed) {
            producer = null;
        }
    }

    private String notAcknowledged(Throwable problem) {
        return "Topic '" + settings.topic() + "' at " + settings.bootstrapServers()
                + " did not acknowledge all events: " + KafkaErrors.explain(problem);
    }

    private void ensureTopic() {
        try (KafkaAdmin admin = new KafkaAdmin(settings)) {
            KafkaAdmin.Topic topic = admin.ensureTopic().toCompletableFuture().get(TOPIC_SECONDS, TimeUnit.SECONDS);
            if (topic.created()) {
                log.info(
                        "Created the topic '{}' for the events of queue '{}'",
                        settings.topic(),
                        LogText.oneLine(settings.queue(), 200));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishException("The events were not published: the thread was interrupted", e);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            Throwable cause = KafkaErrors.unwrap(e);
            throw new PublishException(
                    "Topic '" + settings.topic() + "' at " + settings.bootstrapServers()
                            + " is missing, or cannot be looked up or created: "
                            + (e instanceof TimeoutException ? "no answer" : KafkaErrors.explain(cause))
                            + ". Check the address; or create the topic, or allow this user to",
                    e);
        }
    }

    private ProducerRecord<byte[], byte[]> record(EventMessage event) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(settings.topic(), bytes(event.orderedBy()), event.data());
        for (Map.Entry<String, String> attribute : event.attributes().entrySet()) {
            record.headers().add("ce_" + attribute.getKey(), bytes(attribute.getValue()));
        }
        record.headers().add("content-type", bytes(EventMessage.CONTENT_TYPE));
        return record;
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (closed) {
            throw new PublishException("The events were not published: this publisher is closed");
        }
        Producer<byte[], byte[]> current = producer;
        if (current == null) {
            try {
                current = new KafkaProducer<>(
                        ClientProperties.producer(settings.bootstrapServers(), settings.properties(), MAX_EVENT_BYTES),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
            } catch (KafkaException e) {
                throw new PublishException(notAcknowledged(e), e);
            }
            producer = current;
        }
        return current;
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> closing;
        synchronized (this) {
            closed = true;
            closing = producer;
        }
        if (closing != null) {
            closing.close(CLOSE_TIMEOUT);
        }
    }
}
