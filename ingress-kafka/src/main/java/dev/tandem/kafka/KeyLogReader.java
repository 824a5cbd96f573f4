package dev.tandem.kafka;

import dev.tandem.kafka.LogPart.Stop;
import dev.tandem.task.Delivery;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the tasks of a key in a log, from its end or from an offset backwards, within bounds. It has a consumer of its own,
 * which is in no group and is closed when the call ends, so it moves no offset and no partition. Thread-safe.
 */
public final class KeyLogReader {

    /** A chunk that is larger than the bytes would be given up. So the first one is small, and tells how large records are. */
    private static final int FIRST_CHUNK = 16;

    private static final int GROWTH = 8;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final String FETCH_BYTES = Integer.toString(1 << 20);

    private final Bounds bounds;

    /**
     * How much a call reads at most.
     *
     * @param tasks how many tasks of the key are enough
     * @param bytes may be exceeded by those of the first 16 records
     * @param time after which what is not complete is left out; the consumer is closed a second later at the latest
     */
    public record Bounds(int tasks, long records, long bytes, Duration time) {}

    public KeyLogReader(Bounds bounds) {
        this.bounds = bounds;
    }

    /**
     * Reads.
     *
     * @param key as tasks have it
     * @param before the offset behind the last record to look at; -1 for the end of the log
     * @throws KafkaException if Kafka does not answer, or refuses it
     */
    public LogPart read(KafkaSettings settings, int partition, String key, long before) {
        long endsAt = System.nanoTime() + bounds.time().toNanos();
        Map<String, Object> properties = ClientProperties.consumer(settings);
        properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
        properties.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        // The client asks for more behind each chunk, where a log may have nothing. A broker that waits there holds up
        // the next chunk.
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "1");
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            TopicPartition place = new TopicPartition(settings.topic(), partition);
            consumer.assign(List.of(place));
            RecordDecoder decoder = new RecordDecoder(settings.queue(), settings.maxPayload());
            return new Reading(consumer, place, decoder, key, endsAt).all(before);
        } finally {
            try {
                consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
            } catch (KafkaException ignored) {
                // What was read is read.
            }
        }
    }

    /** One call. */
    private final class Reading {

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final TopicPartition place;
        private final RecordDecoder decoder;
        private final String key;

        /** The broker's key of each task of the key that has no key in its headers; null if there may be several. */
        private final byte @Nullable [] plainKey;

        private final long endsAt;
        private final List<LoggedTask> found = new ArrayList<>();
        private long records;
        private long bytes;
        private long oldest;

        Reading(
                KafkaConsumer<byte[], byte[]> consumer,
                TopicPartition place,
                RecordDecoder decoder,
                String key,
                long endsAt) {
            this.consumer = consumer;
            this.place = place;
            this.decoder = decoder;
            this.key = key;
            // Keys of other bytes than UTF-8 are written so.
            this.plainKey = key.startsWith("0x") ? null : key.getBytes(StandardCharsets.UTF_8);
            this.endsAt = endsAt;
        }

        private Duration left() {
            return Duration.ofNanos(Math.max(1, endsAt - System.nanoTime()));
        }

        private long offset(Map<TopicPartition, Long> offsets) {
            return Objects.requireNonNull(offsets.get(place), "no such partition");
        }

        /** Reads chunk by chunk towards the beginning. A part has no gaps: what is not complete is left out. */
        LogPart all(long before) {
            long first = offset(consumer.beginningOffsets(List.of(place), left()));
            long end = offset(consumer.endOffsets(List.of(place), left()));
            long to = before < 0 ? end : Math.max(first, Math.min(before, end));
            long from = to;
            @Nullable Stop stop = null;
            for (long size = FIRST_CHUNK; stop == null; size = next(to - from, size)) {
                long start = Math.max(first, from - size);
                stop = start == from ? Stop.BEGINNING : chunk(start, from);
                if (stop == null) {
                    from = start;
                    stop = from > first ? enough() : null;
                }
            }
            return part(first, end, from, to, stop);
        }

        private @Nullable Stop enough() {
            return found.size() >= bounds.tasks()
                    ? Stop.FOUND
                    : records >= bounds.records() ? Stop.RECORDS : bytes >= bounds.bytes() ? Stop.BYTES : null;
        }

        /** Returns the size of the next chunk, so that it fits as far as those before it tell. */
        private long next(long looked, long size) {
            long each = Math.max(1, bytes / Math.max(1, looked));
            long fits = Math.min(bounds.records() - records, (bounds.bytes() - bytes) / each);
            return Math.max(1, Math.min(size * GROWTH, fits));
        }

        /** Leaves out the tasks beyond those that were asked for, and the part of the log that has them. */
        private LogPart part(long first, long end, long from, long to, Stop stop) {
            if (found.size() <= bounds.tasks()) {
                return new LogPart(first, end, from, to, records, bytes, oldest, stop, List.copyOf(found));
            }
            List<LoggedTask> latest = List.copyOf(found.subList(0, bounds.tasks()));
            LoggedTask last = latest.get(latest.size() - 1);
            return new LogPart(first, end, last.offset(), to, records, bytes, last.publishedAt(), Stop.FOUND, latest);
        }

        /** Returns why the chunk was not read to its end; null if it was. */
        private @Nullable Stop chunk(long start, long end) {
            List<LoggedTask> tasks = new ArrayList<>();
            long begins = 0;
            long count = 0;
            consumer.seek(place, start);
            while (consumer.position(place, left()) < end) {
                if (System.nanoTime() - endsAt >= 0) {
                    return Stop.TIME;
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(place)) {
                    if (record.offset() >= end) {
                        break;
                    }
                    begins = count++ == 0 ? record.timestamp() : begins;
                    bytes += bytes(record);
                    addIfOfKey(record, tasks);
                }
                if (bytes > bounds.bytes() && records > 0) {
                    return Stop.BYTES;
                }
            }
            Collections.reverse(tasks);
            found.addAll(tasks);
            oldest = count == 0 ? oldest : begins;
            records += count;
            return null;
        }

        /** Whether a record may be of the key: a cheap answer, so that few of other keys are decoded. */
        private boolean mayBeOfKey(ConsumerRecord<byte[], byte[]> record) {
            if (plainKey == null || Arrays.equals(plainKey, record.key())) {
                return true;
            }
            for (Header header : record.headers()) {
                if (TaskHeaders.mayNameKey(header.key(), header.value())) {
                    return true;
                }
            }
            return false;
        }

        private void addIfOfKey(ConsumerRecord<byte[], byte[]> record, List<LoggedTask> tasks) {
            if (!mayBeOfKey(record)) {
                return;
            }
            Delivery delivery = decoder.delivery(record, record.timestamp());
            Task task = delivery.task();
            if (key.equals(task.key())) {
                tasks.add(new LoggedTask(
                        record.offset(),
                        task.id(),
                        task.type(),
                        task.publishedAt(),
                        task.notBefore(),
                        delivery.unreadable() == null));
            }
        }
    }

    private static long bytes(ConsumerRecord<byte[], byte[]> record) {
        long size = Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
        for (Header header : record.headers()) {
            size += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }
}
