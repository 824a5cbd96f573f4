package dev.tandem.kafka;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads records again that were passed over, one request after the other, so that the polling thread never waits for them. Its
 * thread owns a consumer without a group, which exists while there is something to read.
 */
final class RecallReader implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RecallReader.class);

    /** How long reading may bring nothing new before it fails. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
    /** An unused consumer is closed after this time. */
    private static final long IDLE_MILLIS = 60_000;

    /** The part of the memory budget, one in this many, that a poll may take. */
    private static final int POLL_SHARE = 16;

    /**
     * The records that one recall read.
     *
     * @param next all offsets below it were read
     * @param logStart the log's start if offsets had been deleted before they were read; else 0
     */
    record Answer(List<Delivery> deliveries, long next, long logStart) {

        void report(Source.Events loop, Partition partition, Recall recall, KafkaHealth health) {
            if (logStart > recall.from()) {
                health.warn(StartOffset.deletedWarning(partition.name(), recall.from(), logStart));
                loop.deleted(partition, recall.id(), logStart);
            }
            loop.recalled(partition, recall.id(), deliveries, next);
        }
    }

    private sealed interface Request {}

    private record Read(TopicPartition partition, Recall recall, CompletableFuture<Answer> answer) implements Request {}

    private record End() implements Request {}

    private final KafkaSettings settings;
    private final MemoryBudget memory;
    private final RecordDecoder decoder;
    private final InstantSource wallClock;
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private @Nullable Thread thread;
    private volatile boolean closed;

    /** Used by the reader's thread only, but for its wake-up. */
    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;

    /** The bytes that the present poll has returned. Used by the reader's thread only. */
    private long polled;

    private final BoundedRecords records = new BoundedRecords(this::take, this::takeIfFits);

    /** @param memory of which the reader takes a small part that it does not account for */
    RecallReader(KafkaSettings settings, MemoryBudget memory, RecordDecoder decoder, InstantSource wallClock) {
        this.settings = settings;
        this.memory = memory;
        this.decoder = decoder;
        this.wallClock = wallClock;
    }

    /** Reads later, on the reader's thread. Called by the polling thread. */
    CompletionStage<Answer> read(TopicPartition partition, Recall recall) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        requests.add(new Read(partition, recall, answer));
        if (thread == null) {
            Thread started = new Thread(this::run, "tandem-recall-" + settings.queue());
            started.setDaemon(true);
            started.start();
            thread = started;
        }
        return answer;
    }

    /** Ends reading. Requests without an answer get none. Called by the polling thread. */
    @Override
    public void close() {
        closed = true;
        requests.add(new End());
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (reading != null) {
            reading.wakeup();
        }
    }

    // ---- the reader's thread

    private void run() {
        try {
            while (!closed) {
                Request request = requests.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
                if (request instanceof Read read) {
                    answer(read);
                } else {
                    closeConsumer();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeConsumer();
        }
    }

    private void answer(Read request) {
        try {
            request.answer().complete(read(openConsumer(), request.partition(), request.recall()));
        } catch (OffsetOutOfRangeException e) {
            answerDeleted(request);
        } catch (RuntimeException | Error e) {
            // Also after an Error, or nobody would read again.
            closeConsumer();
            request.answer().completeExceptionally(e);
        }
    }

    private Answer read(KafkaConsumer<byte[], byte[]> from, TopicPartition partition, Recall recall) {
        if (!from.assignment().contains(partition)) {
            from.assign(List.of(partition));
            from.seek(partition, recall.from());
        } else if (from.position(partition) != recall.from()) {
            from.seek(partition, recall.from());
        }
        List<Delivery> found = new ArrayList<>();
        long bytes = 0;
        long position = recall.from();
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (position < recall.upTo() && found.size() < recall.maxTasks() && bytes < recall.maxBytes()) {
            for (ConsumerRecord<byte[], byte[]> record : poll(from).records(partition)) {
                Delivery delivery = recall.wants(record.offset()) ? decoder.delivery(record, wallClock.millis()) : null;
                if (delivery != null && recall.wants(delivery.task())) {
                    found.add(delivery);
                    bytes += delivery.task().weight();
                }
            }
            long now = from.position(partition);
            if (now > position) {
                position = now;
                until = System.nanoTime() + PATIENCE.toNanos();
            } else if (System.nanoTime() >= until) {
                throw new TimeoutException("nothing could be read at offset " + position + " of " + partition + " for "
                        + PATIENCE.toSeconds() + " s");
            }
        }
        return new Answer(found, Math.min(position, recall.upTo()), 0);
    }

    private ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> from) {
        polled = 0;
        records.beginPoll();
        return from.poll(POLL);
    }

    private void take(long bytes) {
        polled += bytes;
    }

    private boolean takeIfFits(long bytes) {
        boolean fits = polled + bytes <= memory.bytes() / POLL_SHARE;
        polled += fits ? bytes : 0;
        return fits;
    }

    private void answerDeleted(Read request) {
        try {
            TopicPartition partition = request.partition();
            Long start = openConsumer()
                    .beginningOffsets(List.of(partition), PATIENCE)
                    .get(partition);
            if (start == null || start <= request.recall().from()) {
                // The log was cut at its end.
                throw new IllegalStateException("offset " + request.recall().from() + " is beyond the log's end");
            }
            request.answer()
                    .complete(new Answer(
                            List.of(), Math.min(start, request.recall().upTo()), start));
        } catch (RuntimeException e) {
            request.answer().completeExceptionally(e);
        } finally {
            // It would go on to fail at the same offset.
            closeConsumer();
        }
    }

    private KafkaConsumer<byte[], byte[]> openConsumer() {
        KafkaConsumer<byte[], byte[]> open = consumer;
        if (open == null) {
            Map<String, Object> properties = ClientProperties.consumer(settings);
            properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
            properties.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
            // It reads one partition at a time.
            properties = FetchSizes.of(memory, 1).in(properties, settings.properties());
            open = new KafkaConsumer<>(properties, records, records);
            consumer = open;
        }
        return open;
    }

    private void closeConsumer() {
        KafkaConsumer<byte[], byte[]> open = consumer;
        consumer = null;
        if (open != null) {
            try {
                open.close(CloseOptions.timeout(CLOSE_TIMEOUT));
            } catch (KafkaException e) {
                log.debug("The consumer that reads records again did not close cleanly", e);
            }
        }
    }
}
