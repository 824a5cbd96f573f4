package dev.tandem.kafka;

import dev.tandem.kafka.Health.Trouble;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A queue's Kafka topic as its source. One thread polls, moves, pauses and commits; nothing that it calls waits for a
 * broker, except the last commit before a partition goes.
 *
 * <p>A partition that the group gives us is paused at once. Its facts (committed offset, log start, topic id) are asked
 * for on the side; when they are there, {@link Events#assigned} comes from a later poll. Reading starts at the
 * committed offset; where there is none, or it points out of the log, or to a former topic of the same name, at the
 * log's start, with a warning where anything is gone.
 *
 * <p>A consumer that keeps polling keeps its membership: partitions are paused while their tasks run, so long tasks
 * cause no rebalance.
 */
public final class KafkaSource implements Source {

    private static final Duration LAST_COMMIT = Duration.ofSeconds(3);
    private static final long MAX_WAIT_MILLIS = 1_000;
    private static final long RETRY_MILLIS = 1_000;

    private final InstantSource wallClock;
    private final RecordCodec codec;
    private final Health health;
    private final Clients clients;
    private final Assignments assignments;
    private final Millis clock = new Millis();
    private final Wakeups wakeups = new Wakeups();
    private final Inbox inbox = new Inbox(wakeups);
    private final Reports reports = new Reports(wakeups);
    private final Committer committer = new Committer(reports);
    private final Rebalances rebalances = new Rebalances();
    private final Runnable interrupt = this::interrupt;
    private volatile @Nullable Thread loop;
    private boolean closed;
    private long pollAt;

    /** Connects at the first {@link #poll}, and waits there for brokers that can't be reached yet. */
    public KafkaSource(KafkaSettings settings) {
        this(settings, InstantSource.system());
    }

    KafkaSource(KafkaSettings settings, InstantSource wallClock) {
        this.wallClock = wallClock;
        codec = new RecordCodec(settings.queue(), settings.maxPayload());
        health = new Health(settings, wallClock);
        clients = new Clients(settings, health, inbox);
        assignments = new Assignments(settings, clients, inbox, health, reports, committer, clock);
    }

    /**
     * Whether a committed offset counts for a topic. One of ours that was committed for a former topic of the same name
     * does not.
     *
     * @param metadata what stands beside the offset, whoever wrote it
     */
    public static boolean counts(String metadata, String topicId) {
        return Start.counts(metadata, topicId);
    }

    @Override
    public Kind kind() {
        return Kind.LOG;
    }

    /** How it stands with the broker. From any thread. */
    public KafkaStatus status() {
        return health.status();
    }

    @Override
    public void wakeup() {
        wakeups.wake();
    }

    private void interrupt() {
        clients.wakeup();
        LockSupport.unpark(loop);
    }

    // ---- the loop ----

    @Override
    public void poll(long maxMillis, Events events) {
        if (closed) {
            return;
        }
        loop = Thread.currentThread();
        reports.begin(events);
        try {
            inbox.empty();
            turn(maxMillis);
        } finally {
            wakeups.end();
            reports.end();
        }
    }

    private void turn(long maxMillis) {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (consumer == null) {
            park(maxMillis, clients.connect(clock, rebalances));
            return;
        }
        assignments.ask();
        tellGaps();
        committer.flush(consumer, clock);
        if (clock.now() < pollAt) {
            park(maxMillis, pollAt);
            return;
        }
        ConsumerRecords<byte[], byte[]> records = poll(consumer, patience(maxMillis));
        if (records != null) {
            assignments.fetched();
            deliver(records);
        }
        clients.watch(clock.now());
    }

    private long patience(long maxMillis) {
        if (maxMillis <= 0 || reports.toldAny()) {
            return 0;
        }
        long next = Math.min(assignments.nextAt(), committer.nextAt()) - clock.now();
        return Math.max(0, Math.min(Math.min(maxMillis, MAX_WAIT_MILLIS), next));
    }

    private @Nullable ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer, long wait) {
        Duration patience = wait > 0 && wakeups.begin(interrupt) ? Duration.ofMillis(wait) : Duration.ZERO;
        reports.insideConsumer(true);
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(patience);
            health.clear(Trouble.POLL);
            return records;
        } catch (WakeupException e) {
            // Its purpose is fulfilled.
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach(assignments::astray);
        } catch (KafkaException e) {
            health.set(Trouble.POLL, "reading fails: " + Problems.explain(e));
            pollAt = clock.now() + RETRY_MILLIS;
        } finally {
            reports.insideConsumer(false);
        }
        return null;
    }

    /** Waits without the consumer. */
    private void park(long maxMillis, long until) {
        long wait = reports.toldAny() ? 0 : Math.min(Math.min(maxMillis, MAX_WAIT_MILLIS), until - clock.now());
        if (wait > 0 && wakeups.begin(interrupt)) {
            LockSupport.parkNanos(this, Duration.ofMillis(wait).toNanos());
        }
    }

    private void deliver(ConsumerRecords<byte[], byte[]> records) {
        long arrivedAt = records.isEmpty() ? 0 : wallClock.millis();
        positions(records).forEach((topicPartition, next) -> {
            Assignment assignment = assignments.get(topicPartition);
            // The engine may move a partition while it is told of another.
            if (assignment != null && assignment.open && !assignments.movedSinceFetched(assignment)) {
                List<ConsumerRecord<byte[], byte[]>> some = records.records(topicPartition);
                reports.tell(events ->
                        events.delivered(assignment.partition, codec.deliveries(some, arrivedAt), next.offset()));
            }
        });
    }

    /** Behind the records and the gaps that came. An interceptor may have made records of its own, without positions. */
    private static Map<TopicPartition, OffsetAndMetadata> positions(ConsumerRecords<byte[], byte[]> records) {
        if (!records.nextOffsets().isEmpty() || records.isEmpty()) {
            return records.nextOffsets();
        }
        Map<TopicPartition, OffsetAndMetadata> behind = new HashMap<>();
        for (TopicPartition each : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> some = records.records(each);
            behind.put(each, new OffsetAndMetadata(some.get(some.size() - 1).offset() + 1));
        }
        return behind;
    }

    /** Where reading started behind what is gone, the settled prefix may pass the gap before any record comes. */
    private void tellGaps() {
        for (Assignment each : assignments.all()) {
            long gapTo = each.gapTo;
            if (each.open && gapTo >= 0) {
                each.gapTo = -1;
                reports.tell(events -> events.delivered(each.partition, List.of(), gapTo));
            }
        }
    }

    // ---- what the engine asks ----

    @Override
    public void open(Partition partition) {
        Assignment assignment = assignments.get(partition);
        if (assignment != null && !assignment.open) {
            assignment.open = true;
            assignment.paused = false;
            assignments.read(assignment, assignment.resumeAt());
            if (assignment.pin) {
                committer.commitUnchanged(assignment);
            }
        }
    }

    @Override
    public void pause(Partition partition) {
        Assignment assignment = assignments.get(partition);
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (assignment != null && consumer != null) {
            assignment.paused = true;
            consumer.pause(List.of(assignment.topicPartition));
        }
    }

    @Override
    public void resume(Partition partition) {
        Assignment assignment = assignments.get(partition);
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (assignment != null && consumer != null) {
            assignment.paused = false;
            if (assignment.open && !assignment.astray) {
                consumer.resume(List.of(assignment.topicPartition));
            }
        }
    }

    @Override
    public void rewind(Partition partition) {
        Assignment assignment = assignments.get(partition);
        if (assignment != null && assignment.open) {
            assignments.read(assignment, assignment.resumeAt());
        }
    }

    @Override
    public void commit(Partition partition, long upTo) {
        Assignment assignment = assignments.get(partition);
        if (assignment != null) {
            committer.commit(assignment, upTo);
        }
    }

    @Override
    public void confirm(Partition partition) {
        Assignment assignment = assignments.get(partition);
        if (assignment != null) {
            assignment.confirming = true;
            assignment.factsFresh = false;
            assignment.lookUpAt = clock.now();
        }
    }

    /** @throws UnsupportedOperationException always: a log is committed */
    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        throw new UnsupportedOperationException("Kafka offsets are committed, not acked one by one");
    }

    /** Nothing to do: a Kafka partition is taken away by its group, never offered back. */
    @Override
    public void close(Partition partition) {}

    /** Commits what was asked for, and leaves the group; at most some seconds. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
            if (consumer != null) {
                committer.commitNow(consumer, assignments.all(), LAST_COMMIT);
                assignments.remove(assignments.all());
            }
            clients.close();
        }
    }

    /** A number of the consumer's own, for tests; NaN if there is none. */
    double metric(String name) {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        return consumer == null
                ? Double.NaN
                : consumer.metrics().values().stream()
                        .filter(each -> each.metricName().name().equals(name))
                        .map(each -> (Double) each.metricValue())
                        .findFirst()
                        .orElse(Double.NaN);
    }

    /** Called by the consumer inside its poll. */
    private final class Rebalances implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            if (!closed) {
                partitions.forEach(assignments::take);
                assignments.ask();
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            List<Assignment> leaving = assignments.get(partitions);
            List<Partition> announced = announced(leaving);
            if (!announced.isEmpty()) {
                reports.tell(events -> events.revoked(announced));
            }
            KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
            if (consumer != null) {
                committer.commitNow(consumer, leaving, LAST_COMMIT);
            }
            assignments.remove(leaving);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            List<Assignment> leaving = assignments.get(partitions);
            List<Partition> announced = announced(leaving);
            assignments.remove(leaving);
            if (!announced.isEmpty()) {
                reports.tell(events -> events.lost(announced));
            }
        }

        private static List<Partition> announced(List<Assignment> leaving) {
            return leaving.stream()
                    .filter(each -> each.announced)
                    .map(each -> each.partition)
                    .toList();
        }
    }
}
