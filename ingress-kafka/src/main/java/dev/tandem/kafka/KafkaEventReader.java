package dev.tandem.kafka;

import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.PublishedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of some queues from their Kafka topics, as a member of one consumer group. A group that has never read a topic
 * begins with the earliest record. What Kafka's retention has removed before it was read is counted as lost.
 */
public final class KafkaEventReader implements EventReader {

    private static final Logger log = LoggerFactory.getLogger(KafkaEventReader.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PAUSED_POLL = Duration.ofMillis(200);
    private static final long TOPIC_SECONDS = 15;
    private static final String PREFIX = "ce_";

    private final List<KafkaSettings> topics;
    private final String group;
    private final int batch;
    private final AtomicLong lost = new AtomicLong();
    private final Set<String> existing = new HashSet<>();
    private @Nullable KafkaConsumer<byte[], byte[]> consumer;
    /** The offsets behind the last read, of each of its partitions. */
    private final Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();
    /** The offsets at which the last read began. */
    private final Map<TopicPartition, Long> began = new HashMap<>();

    /**
     * @param topics one for each queue, with its topic of events
     * @param group the consumer group
     * @param batch the most events of one read
     */
    public KafkaEventReader(List<KafkaSettings> topics, String group, int batch) {
        this.topics = List.copyOf(topics);
        this.group = group;
        this.batch = batch;
    }

    @Override
    public void keepEvents() {
        // A topic keeps events for those who read them later.
    }

    @Override
    public List<PublishedEvent> read(Duration wait) {
        read.clear();
        began.clear();
        try {
            KafkaConsumer<byte[], byte[]> from = consumer();
            from.resume(from.paused());
            return events(poll(from, wait));
        } catch (KafkaException | IllegalStateException e) {
            throw failed("cannot be read", e);
        }
    }

    private List<PublishedEvent> events(ConsumerRecords<byte[], byte[]> records) {
        List<PublishedEvent> events = new ArrayList<>(records.count());
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> its = records.records(partition);
            began.put(partition, its.get(0).offset());
            ConsumerRecord<byte[], byte[]> last = its.get(its.size() - 1);
            // With the epoch, a log that was cut meanwhile is noticed.
            read.put(partition, new OffsetAndMetadata(last.offset() + 1, last.leaderEpoch(), ""));
            its.forEach(record -> events.add(event(record)));
        }
        return events;
    }

    private static PublishedEvent event(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> attributes = new HashMap<>();
        for (Header header : record.headers()) {
            if (header.key().startsWith(PREFIX) && header.value() != null) {
                attributes.put(
                        header.key().substring(PREFIX.length()), new String(header.value(), StandardCharsets.UTF_8));
            }
        }
        return new PublishedEvent(attributes, record.value() == null ? new byte[0] : record.value());
    }

    private ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> from, Duration wait) {
        try {
            return from.poll(wait);
        } catch (NoOffsetForPartitionException e) {
            from.seekToBeginning(e.partitions());
        } catch (OffsetOutOfRangeException e) {
            beginAnew(from, e.offsetOutOfRangePartitions());
        }
        return ConsumerRecords.empty();
    }

    /**
     * Goes on with the earliest events that are left. Whoever commits that place counts those in front of it: then no other member of
     * the group meets the same gap. If a rebalance keeps this member from committing, the next owner counts them. If the answer to the
     * commit is lost, they are counted here, since perhaps nobody meets the gap again: better twice than not at all.
     */
    private void beginAnew(KafkaConsumer<byte[], byte[]> from, Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, OffsetAndMetadata> begins = new HashMap<>();
        from.beginningOffsets(offsets.keySet(), CALL_TIMEOUT)
                .forEach((partition, begin) -> begins.put(partition, new OffsetAndMetadata(begin)));
        try {
            if (!commit(from, begins)) {
                return;
            }
        } catch (KafkaException e) {
            begins.forEach((partition, begin) -> countLost(partition, begin.offset() - offsets.get(partition)));
            throw e;
        }
        begins.forEach((partition, begin) -> {
            countLost(partition, begin.offset() - offsets.get(partition));
            from.seek(partition, begin.offset()); // More that is removed meanwhile is another gap.
        });
    }

    private void countLost(TopicPartition partition, long gap) {
        if (gap > 0) {
            lost.addAndGet(gap);
            log.warn(
                    "Kafka removed {} events of {} before the group {} had read them: give the topic a longer retention.ms",
                    gap,
                    partition,
                    group);
        }
    }

    @Override
    public void confirm() {
        KafkaConsumer<byte[], byte[]> from = consumer;
        if (from == null || read.isEmpty()) {
            return;
        }
        try {
            if (!commit(from, read)) {
                log.debug("The events come again, here or elsewhere");
            }
        } catch (KafkaException e) {
            throw failed("are stored, but the group cannot commit that they are read", e);
        }
    }

    /** Returns whether the group took the offsets. It does not while it shares out its partitions anew. */
    private static boolean commit(KafkaConsumer<byte[], byte[]> from, Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            from.commitSync(offsets, CALL_TIMEOUT);
            return true;
        } catch (RebalanceInProgressException | CommitFailedException e) {
            log.debug("The group does not take {}", offsets, e);
            return false;
        }
    }

    @Override
    public void giveBack(Duration pause) {
        long until = System.nanoTime() + pause.toNanos();
        KafkaConsumer<byte[], byte[]> from = consumer;
        if (from == null) {
            sleep(pause);
            return;
        }
        try {
            rewind(from, began);
            // Polls go on, so that the group does not take this member for dead.
            while (System.nanoTime() < until && !Thread.currentThread().isInterrupted()) {
                from.pause(from.assignment());
                Map<TopicPartition, Long> early = new HashMap<>();
                poll(from, PAUSED_POLL)
                        .forEach(record -> early.merge(
                                new TopicPartition(record.topic(), record.partition()), record.offset(), Math::min));
                rewind(from, early);
            }
        } catch (KafkaException | IllegalStateException e) {
            log.debug("The consumer of events is replaced", e);
            forget();
            sleep(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
        }
    }

    private static void rewind(KafkaConsumer<byte[], byte[]> from, Map<TopicPartition, Long> offsets) {
        Collection<TopicPartition> assigned = from.assignment();
        offsets.forEach((partition, offset) -> {
            if (assigned.contains(partition)) {
                from.seek(partition, offset);
            }
        });
    }

    private static void sleep(Duration pause) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long waiting() {
        KafkaConsumer<byte[], byte[]> from = consumer;
        if (from == null) {
            return 0;
        }
        try {
            long sum = 0;
            for (Map.Entry<TopicPartition, Long> end :
                    from.endOffsets(from.assignment(), CALL_TIMEOUT).entrySet()) {
                sum += Math.max(0, end.getValue() - from.position(end.getKey(), CALL_TIMEOUT));
            }
            return sum;
        } catch (KafkaException | IllegalStateException e) {
            log.debug("The lag of the group {} is not known", group, e);
            return 0;
        }
    }

    @Override
    public long lost() {
        return lost.get();
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        KafkaConsumer<byte[], byte[]> current = consumer;
        if (current != null) {
            return current;
        }
        topics.forEach(this::ensureTopic);
        Map<String, Object> properties = ClientProperties.consumer(topics.get(0).withGroupId(group));
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, batch);
        current = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        current.subscribe(topics.stream().map(KafkaSettings::topic).toList());
        consumer = current;
        return current;
    }

    private void ensureTopic(KafkaSettings topic) {
        if (existing.contains(topic.topic())) {
            return;
        }
        try (KafkaAdmin admin = new KafkaAdmin(topic)) {
            admin.ensureTopic().toCompletableFuture().get(TOPIC_SECONDS, TimeUnit.SECONDS);
            existing.add(topic.topic());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("cannot be read: the thread was interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw failed("cannot be read: the topic '" + topic.topic() + "' cannot be looked up or created", e);
        }
    }

    private ReadException failed(String what, Exception problem) {
        forget();
        Throwable cause = KafkaErrors.unwrap(problem);
        return new ReadException(
                "The events in Kafka at " + topics.get(0).bootstrapServers() + " " + what + ": "
                        + (cause instanceof TimeoutException ? "no answer" : KafkaErrors.explain(cause)),
                problem);
    }

    private void forget() {
        KafkaConsumer<byte[], byte[]> current = consumer;
        consumer = null;
        if (current != null) {
            boolean interrupted = Thread.interrupted();
            try {
                current.close(CloseOptions.timeout(CLOSE_TIMEOUT));
            } catch (KafkaException e) {
                log.debug("The consumer of events could not be closed", e);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public void close() {
        forget();
    }
}
