package dev.tandem.verify;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads the events of tasks from their Kafka topic. */
final class KafkaTaskEvents implements TaskEventReader {

    private static final String PREFIX = "ce_";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int TIMEOUT_MILLIS = 5_000;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;
    private final TaskEventLog log;
    private final Thread thread;
    private volatile boolean ending;
    private volatile boolean closed;
    private volatile boolean reachedEnd;

    /** Creates the topic, and begins to read. */
    KafkaTaskEvents(String servers, String topic, int partitions, TaskEventLog log) throws InterruptedException {
        new TrialTopic(servers, topic, partitions).close();
        this.log = log;
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "earliest",
                        "default.api.timeout.ms",
                        TIMEOUT_MILLIS,
                        "request.timeout.ms",
                        TIMEOUT_MILLIS / 2),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        this.thread = new Thread(this::run, "verify-task-events");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try (consumer) {
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = null;
            while (!closed && !reachedEnd) {
                consumer.poll(POLL).forEach(this::came);
                ends = ending && ends == null ? ends() : ends;
                reachedEnd = ends != null && ends.entrySet().stream().allMatch(this::isReached);
            }
        }
    }

    private void came(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> attributes = new HashMap<>();
        for (Header header : record.headers()) {
            if (header.key().startsWith(PREFIX)) {
                attributes.put(
                        header.key().substring(PREFIX.length()), new String(header.value(), StandardCharsets.UTF_8));
            }
        }
        log.came(attributes, record.value());
    }

    /** Returns the ends of the partitions now; null if Kafka does not answer. */
    private @Nullable Map<TopicPartition, Long> ends() {
        try {
            return consumer.endOffsets(partitions);
        } catch (KafkaException e) {
            return null;
        }
    }

    private boolean isReached(Map.Entry<TopicPartition, Long> end) {
        try {
            return consumer.position(end.getKey()) >= end.getValue();
        } catch (KafkaException e) {
            return false;
        }
    }

    @Override
    public boolean readToEnd(Duration limit) throws InterruptedException {
        ending = true;
        thread.join(limit.toMillis());
        return reachedEnd;
    }

    @Override
    public void close() {
        closed = true;
    }
}
