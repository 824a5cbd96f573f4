package dev.tandem.kafka;

import dev.tandem.kafka.Health.Trouble;
import dev.tandem.kafka.Start.Found;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
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
    private static final Duration CLOSE = Duration.ofSeconds(3);
    private static final long MAX_WAIT_MILLIS = 1_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final long TOPIC_CHECK_MILLIS = 30_000;

    private final KafkaSettings settings;
    private final InstantSource clock;
    private final RecordCodec codec;
    private final Health health;
    private final Wakeups wakeups = new Wakeups();
    private final Reports reports = new Reports(wakeups);
    private final Committer committer = new Committer(reports);
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private final Map<TopicPartition, Assignment> assignments = new HashMap<>();
    private final Rebalances rebalances = new Rebalances();
    private final Runnable interrupt = this::interrupt;

    private volatile @Nullable Thread loop;
    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
    private @Nullable GroupAdmin admin;
    private @Nullable Link link;
    private boolean asking;
    private boolean closed;
    private long fetches;
    private long pollAt;
    private long topicCheckAt;

    /** Connects at the first {@link #poll}, and waits there for brokers that can't be reached yet. */
    public KafkaSource(KafkaSettings settings) {
        this(settings, InstantSource.system());
    }

    KafkaSource(KafkaSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.codec = new RecordCodec(settings.queue(), settings.maxPayload());
        this.health = new Health(settings, clock);
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
        KafkaConsumer<byte[], byte[]> waiting = consumer;
        if (waiting != null) {
            waiting.wakeup();
        }
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
            for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
                answer.run();
            }
            turn(maxMillis, now());
        } finally {
            wakeups.end();
            reports.end();
        }
    }

    private void turn(long maxMillis, long now) {
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (reading == null) {
            connect(now);
            park(maxMillis, pollAt - now);
            return;
        }
        ask(now);
        tellGaps();
        committer.flush(reading, now);
        if (now < pollAt) {
            park(maxMillis, pollAt - now);
            return;
        }
        long wait = reports.toldAny() ? 0 : Math.min(maxMillis, Math.max(0, nextAt(now) - now));
        ConsumerRecords<byte[], byte[]> records = poll(reading, wait);
        if (records != null) {
            deliver(records);
        }
        observe(now());
    }

    private @Nullable ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> reading, long wait) {
        Duration patience = wait > 0 && wakeups.begin(interrupt) ? Duration.ofMillis(wait) : Duration.ZERO;
        reports.insideConsumer(true);
        try {
            ConsumerRecords<byte[], byte[]> records = reading.poll(patience);
            health.clear(Trouble.POLL);
            fetches++;
            return records;
        } catch (WakeupException e) {
            // Its purpose is fulfilled.
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach(this::astray);
        } catch (KafkaException e) {
            health.set(Trouble.POLL, "reading fails: " + Problems.explain(e));
            pollAt = now() + RETRY_MILLIS;
        } finally {
            reports.insideConsumer(false);
        }
        return null;
    }

    private void deliver(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, OffsetAndMetadata> next = positions(records);
        if (next.isEmpty()) {
            return;
        }
        long arrivedAt = clock.millis();
        for (Map.Entry<TopicPartition, OffsetAndMetadata> each : next.entrySet()) {
            Assignment assignment = assignments.get(each.getKey());
            // The engine may have moved a partition while it was told of another.
            if (assignment != null && assignment.open && assignment.movedAt != fetches) {
                List<ConsumerRecord<byte[], byte[]>> some = records.records(each.getKey());
                long position = each.getValue().offset();
                reports.tell(
                        events -> events.delivered(assignment.partition, codec.deliveries(some, arrivedAt), position));
            }
        }
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

    private void tellGaps() {
        for (Assignment each : List.copyOf(assignments.values())) {
            long gapTo = each.gapTo;
            if (each.open && gapTo >= 0) {
                each.gapTo = -1;
                reports.tell(events -> events.delivered(each.partition, List.of(), gapTo));
            }
        }
    }

    private long nextAt(long now) {
        long next = Math.min(now + MAX_WAIT_MILLIS, Math.min(topicCheckAt, committer.nextAt()));
        for (Assignment each : assignments.values()) {
            next = Math.min(next, each.lookUpAt);
        }
        return next;
    }

    /** Waits without a consumer. */
    private void park(long maxMillis, long untilNext) {
        long wait = reports.toldAny() ? 0 : Math.min(maxMillis, Math.min(MAX_WAIT_MILLIS, untilNext));
        if (wait > 0 && wakeups.begin(interrupt)) {
            LockSupport.parkNanos(this, Duration.ofMillis(wait).toNanos());
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    // ---- connecting ----

    private void connect(long now) {
        if (asking || now < pollAt) {
            return;
        }
        try {
            GroupAdmin asked = admin;
            if (asked == null) {
                asked = new GroupAdmin(settings);
                admin = asked;
            }
            asking = true;
            pollAt = Long.MAX_VALUE;
            answer(asked.ensureTopic(), this::topicThere, this::cannotStart);
        } catch (KafkaException e) {
            cannotStart(e);
        }
    }

    private void topicThere(boolean created) {
        asking = false;
        if (created) {
            health.info("the topic was missing and is created");
        }
        try {
            KafkaConsumer<byte[], byte[]> reading = new KafkaConsumer<>(
                    ClientProperties.consumer(settings), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            reading.subscribe(List.of(settings.topic()), rebalances);
            consumer = reading;
            link = new Link(reading.metrics());
            pollAt = now();
            topicCheckAt = pollAt + TOPIC_CHECK_MILLIS;
            health.clear(Trouble.START);
        } catch (KafkaException e) {
            cannotStart(e);
        }
    }

    private void cannotStart(Throwable problem) {
        asking = false;
        pollAt = now() + RETRY_MILLIS;
        health.set(Trouble.START, "Kafka can't be used: " + Problems.explain(problem));
    }

    private void observe(long now) {
        Link watched = link;
        if (watched != null && watched.look(now)) {
            String trouble = watched.trouble();
            if (trouble != null) {
                health.set(Trouble.LINK, trouble);
            } else {
                health.clear(Trouble.LINK);
                health.connected();
            }
        }
    }

    /** A number of the consumer's own, for tests; NaN if there is none. */
    double metric(String name) {
        KafkaConsumer<byte[], byte[]> reading = consumer;
        return reading == null
                ? Double.NaN
                : reading.metrics().values().stream()
                        .filter(each -> each.metricName().name().equals(name))
                        .map(each -> (Double) each.metricValue())
                        .findFirst()
                        .orElse(Double.NaN);
    }

    // ---- questions on the side ----

    private void ask(long now) {
        GroupAdmin asked = admin;
        if (asked == null) {
            return;
        }
        Map<TopicPartition, Assignment> due = new HashMap<>();
        for (Assignment each : assignments.values()) {
            if (each.lookUpAt <= now) {
                each.lookUpAt = Long.MAX_VALUE;
                due.put(each.topicPartition, each);
            }
        }
        if (!due.isEmpty()) {
            Map<TopicPartition, CompletionStage<Found>> facts = asked.find(due.keySet());
            for (Assignment each : due.values()) {
                answer(
                        Objects.requireNonNull(facts.get(each.topicPartition)),
                        found -> found(each, found),
                        problem -> notFound(each, problem));
            }
        }
        if (topicCheckAt <= now && !asking) {
            asking = true;
            topicCheckAt = Long.MAX_VALUE;
            answer(asked.topicId(), this::topicIs, this::topicUnknown);
        }
    }

    /** An answer that comes on another thread is judged on the loop's. */
    private <T> void answer(CompletionStage<T> stage, Consumer<T> then, Consumer<Throwable> otherwise) {
        stage.whenComplete((found, problem) -> {
            answers.add(() -> {
                if (problem == null) {
                    then.accept(found);
                } else {
                    otherwise.accept(GroupAdmin.cause(problem));
                }
            });
            wakeups.wake();
        });
    }

    private void notFound(Assignment assignment, Throwable problem) {
        if (!assignment.gone) {
            assignment.lookUpAt = now() + RETRY_MILLIS;
            health.set(
                    Trouble.FACTS,
                    "the offsets of partition " + assignment.partition.name() + " can't be looked up: "
                            + Problems.explain(problem));
        }
    }

    private void found(Assignment assignment, Found found) {
        if (assignment.gone) {
            return;
        }
        health.clear(Trouble.FACTS);
        if (!assignment.announced) {
            begin(assignment, found);
            return;
        }
        if (!found.topicId().equals(assignment.topicId)) {
            recreated(assignment, found.topicId());
            return;
        }
        assignment.logStart = found.logStart();
        if (assignment.astray && !straighten(assignment)) {
            return;
        }
        if (assignment.confirming) {
            assignment.factsFresh = true;
            committer.commitUnchanged(assignment);
        }
    }

    private void begin(Assignment assignment, Found found) {
        Start start = Start.of(assignment.partition.name(), found, assignment.truncated);
        if (start.warning() != null) {
            health.warn(start.warning());
        }
        assignment.begin(start, found);
        assignment.announced = true;
        reports.tell(events -> events.assigned(assignment.partition, assignment.facts(generation())));
    }

    private long generation() {
        KafkaConsumer<byte[], byte[]> reading = consumer;
        return reading == null ? -1 : reading.groupMetadata().generationId();
    }

    private void topicIs(String id) {
        asking = false;
        topicCheckAt = now() + TOPIC_CHECK_MILLIS;
        health.clear(Trouble.TOPIC);
        for (Assignment each : List.copyOf(assignments.values())) {
            if (each.announced && !each.topicId.equals(id)) {
                recreated(each, id);
            }
        }
    }

    private void topicUnknown(Throwable problem) {
        asking = false;
        topicCheckAt = now() + RETRY_MILLIS;
        if (problem instanceof UnknownTopicOrPartitionException) {
            health.set(Trouble.TOPIC, "the topic does not exist any more: create it again");
        }
    }

    // ---- partitions that do not stand where they should ----

    private void recreated(Assignment assignment, String id) {
        health.warn("partition " + assignment.partition.name() + ": the topic was deleted and created again (id "
                + assignment.topicId + ", now " + id + ")");
        replace(assignment, false);
    }

    private void astray(TopicPartition topicPartition, long offset) {
        Assignment assignment = assignments.get(topicPartition);
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (assignment != null && reading != null) {
            reading.pause(List.of(topicPartition));
            assignment.astray = true;
            assignment.astrayAt = offset;
            assignment.lookUpAt = now();
        }
    }

    /** Whether the assignment goes on. */
    private boolean straighten(Assignment assignment) {
        long from = assignment.astrayAt;
        long logStart = assignment.logStart;
        if (from >= logStart) {
            health.warn("partition " + assignment.partition.name() + ": the log ends before offset " + from
                    + ", it was cut");
            replace(assignment, true);
            return false;
        }
        health.warn("partition " + assignment.partition.name() + ": offsets " + from + " to " + (logStart - 1) + " ("
                + (logStart - from) + ") were deleted before they were read; raise the topic's retention");
        assignment.astray = false;
        assignment.start = logStart;
        assignment.gapTo = logStart;
        if (assignment.open) {
            read(assignment, logStart);
        }
        return true;
    }

    /** Lost and given again: all that was known of it is void. */
    private void replace(Assignment assignment, boolean truncated) {
        assignment.gone = true;
        reports.tell(events -> events.lost(List.of(assignment.partition)));
        take(assignment.topicPartition).truncated = truncated;
    }

    private Assignment take(TopicPartition topicPartition) {
        Assignment taken = new Assignment(topicPartition, Partition.of(settings.queue(), topicPartition.partition()));
        assignments.put(topicPartition, taken);
        taken.lookUpAt = now();
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (reading != null) {
            // Anywhere: with a position the consumer does not look one up itself, and paused it does not read there.
            reading.pause(List.of(topicPartition));
            reading.seek(topicPartition, 0);
        }
        return taken;
    }

    // ---- what the engine asks ----

    @Override
    public void open(Partition partition) {
        Assignment assignment = assignment(partition);
        if (assignment != null && !assignment.open) {
            assignment.open = true;
            assignment.paused = false;
            read(assignment, assignment.resumeAt());
            if (assignment.pin) {
                committer.commitUnchanged(assignment);
            }
        }
    }

    @Override
    public void pause(Partition partition) {
        Assignment assignment = assignment(partition);
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (assignment != null && reading != null) {
            assignment.paused = true;
            reading.pause(List.of(assignment.topicPartition));
        }
    }

    @Override
    public void resume(Partition partition) {
        Assignment assignment = assignment(partition);
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (assignment != null && reading != null) {
            assignment.paused = false;
            if (assignment.open && !assignment.astray) {
                reading.resume(List.of(assignment.topicPartition));
            }
        }
    }

    @Override
    public void rewind(Partition partition) {
        Assignment assignment = assignment(partition);
        if (assignment != null && assignment.open) {
            read(assignment, assignment.resumeAt());
        }
    }

    private void read(Assignment assignment, long from) {
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (reading == null || assignment.astray) {
            return;
        }
        assignment.movedAt = fetches;
        reading.seek(assignment.topicPartition, from);
        if (!assignment.paused) {
            reading.resume(List.of(assignment.topicPartition));
        }
    }

    @Override
    public void commit(Partition partition, long upTo) {
        Assignment assignment = assignment(partition);
        if (assignment != null) {
            committer.commit(assignment, upTo);
        }
    }

    @Override
    public void confirm(Partition partition) {
        Assignment assignment = assignment(partition);
        if (assignment != null) {
            assignment.confirming = true;
            assignment.factsFresh = false;
            assignment.lookUpAt = now();
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

    private @Nullable Assignment assignment(Partition partition) {
        if (!partition.queue().equals(settings.queue())) {
            return null;
        }
        Assignment found;
        try {
            found = assignments.get(new TopicPartition(settings.topic(), Integer.parseInt(partition.name())));
        } catch (NumberFormatException e) {
            return null;
        }
        return found != null && found.announced ? found : null;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        KafkaConsumer<byte[], byte[]> reading = consumer;
        if (reading != null) {
            committer.commitNow(reading, List.copyOf(assignments.values()), LAST_COMMIT);
            assignments.values().forEach(each -> each.gone = true);
            assignments.clear();
            try {
                reading.close(CloseOptions.timeout(CLOSE));
            } catch (KafkaException e) {
                health.warn("the consumer did not close cleanly: " + Problems.explain(e));
            }
            consumer = null;
        }
        if (admin != null) {
            admin.close();
        }
    }

    /** Called by the consumer inside its poll. */
    private final class Rebalances implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            if (!closed) {
                partitions.forEach(KafkaSource.this::take);
                ask(now());
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            List<Assignment> leaving = known(partitions);
            List<Partition> announced = announced(leaving);
            if (!announced.isEmpty()) {
                reports.tell(events -> events.revoked(announced));
            }
            KafkaConsumer<byte[], byte[]> reading = consumer;
            if (reading != null) {
                committer.commitNow(reading, leaving, LAST_COMMIT);
            }
            forget(leaving);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            List<Assignment> leaving = known(partitions);
            List<Partition> announced = announced(leaving);
            forget(leaving);
            if (!announced.isEmpty()) {
                reports.tell(events -> events.lost(announced));
            }
        }

        private void forget(List<Assignment> leaving) {
            for (Assignment each : leaving) {
                each.gone = true;
                assignments.remove(each.topicPartition);
            }
            // A deleted topic's partitions are revoked, too.
            topicCheckAt = Math.min(topicCheckAt, now() + RETRY_MILLIS);
        }

        private List<Assignment> known(Collection<TopicPartition> partitions) {
            List<Assignment> known = new ArrayList<>();
            for (TopicPartition each : partitions) {
                Assignment assignment = assignments.get(each);
                if (assignment != null) {
                    known.add(assignment);
                }
            }
            return known;
        }

        private List<Partition> announced(List<Assignment> leaving) {
            return leaving.stream()
                    .filter(each -> each.announced)
                    .map(each -> each.partition)
                    .toList();
        }
    }
}
