package dev.tandem.kafka;

import dev.tandem.task.Partition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/** The topic's partitions and its retention, looked up periodically. Used by the polling thread only. */
final class TopicFacts {

    private static final long PARTITIONS_MILLIS = 5_000;

    /** The time between two looks before anything is known: until then, the executor cannot notice that the topic grows. */
    private static final long UNKNOWN_MILLIS = 50;

    private static final long RETENTION_MILLIS = 60_000;

    private final KafkaSettings settings;
    private final KafkaClients clients;
    private final AnswerQueue answers;
    private final MonotonicClock clock;
    private List<Partition> partitions = List.of();
    private long partitionsAt;
    private long retentionMillis = Long.MAX_VALUE;
    private long retentionAt;

    TopicFacts(KafkaSettings settings, KafkaClients clients, AnswerQueue answers, MonotonicClock clock) {
        this.settings = settings;
        this.clients = clients;
        this.answers = answers;
        this.clock = clock;
    }

    /** Returns what the consumer's metadata says; nothing without a consumer. A wait of 0 asks no broker. */
    Collection<Partition> partitions() {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (consumer == null || clock.now() < partitionsAt) {
            return consumer == null ? List.of() : partitions;
        }
        try {
            partitions = consumer.partitionsFor(settings.topic(), Duration.ZERO).stream()
                    .map(info -> Partition.of(settings.queue(), info.partition()))
                    .toList();
        } catch (KafkaException e) {
            // The consumer has no metadata of the topic yet, or any more. Before, it had these.
        }
        partitionsAt = clock.now() + (partitions.isEmpty() ? UNKNOWN_MILLIS : PARTITIONS_MILLIS);
        return partitions;
    }

    /** Asks the brokers, and returns what they answered last; {@link Long#MAX_VALUE} if records stay for ever. */
    long retentionMillis() {
        if (clock.now() >= retentionAt && clients.consumer() != null) {
            retentionAt = clock.now() + RETENTION_MILLIS;
            answers.onAnswer(
                    clients.admin().retentionMillis(),
                    millis -> retentionMillis = millis,
                    // Not everybody may read a topic's configuration.
                    problem -> retentionMillis = Long.MAX_VALUE);
        }
        return retentionMillis;
    }
}
