package dev.tandem.kafka;

import static dev.tandem.kafka.PartitionAssignment.NO_OFFSET;

import dev.tandem.kafka.KafkaHealth.Problem;
import dev.tandem.kafka.PartitionAssignment.Stage;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tasks of a queue from its Kafka topic. The polling thread, which is the thread of the queue's loop, owns
 * the consumer: it alone polls, seeks, pauses and commits. It never waits for an answer of a broker, except for the
 * last commit before a partition leaves.
 *
 * <p>A partition is paused as soon as the group assigns it. Then its committed offset, its log start and the topic's id
 * are looked up; a later poll reports {@link Events#assigned}. Reading starts at the committed offset. If there is
 * none, or if it is out of range or belongs to a former topic of the same name, reading starts at the log's start, with
 * a warning if anything was deleted. If the log was cut, as by an unclean leader election, reading goes on at the cut or
 * at the committed offset, whichever is lower ({@code docs/adr/0016-a-cut-kafka-log.md}).
 *
 * <p>Partitions are paused while their tasks run and the consumer keeps polling, so it stays in the group: long tasks
 * cause no rebalance.
 */
public final class KafkaSource implements Source {

    private static final Duration LAST_COMMIT_TIMEOUT = Duration.ofSeconds(3);
    private static final long MAX_WAIT_MILLIS = 1_000;
    private static final long RETRY_MILLIS = 1_000;

    private final InstantSource wallClock;
    private final PollMemory memory;
    private final int mostOfPart;
    private final RecordDecoder decoder;
    private final KafkaHealth health;
    private final @Nullable KeyPlacement placement;
    private final KafkaClients clients;
    private final AssignedPartitions assigned;
    private final GroupRebalanceListener rebalances;
    private final RecallReader recalls;
    private final TopicFacts topic;
    private final DeadMembers deadMembers;
    private final MonotonicClock clock = new MonotonicClock();
    private final PollWakeup wakeup = new PollWakeup();
    private final AnswerQueue answers = new AnswerQueue(wakeup);
    private final LoopEvents events = new LoopEvents(wakeup);
    private final OffsetCommitter committer = new OffsetCommitter(events);
    private final GroupRest rest;
    private final Runnable interruptWait = this::interruptWait;
    private volatile @Nullable Thread pollingThread;
    private boolean closed;
    private long pollAt;

    /** Creates a source with a {@linkplain MemoryBudget#ofHeap budget of its own}. */
    public KafkaSource(KafkaSettings settings) {
        this(settings, MemoryBudget.ofHeap());
    }

    /**
     * Creates a source that connects at the first {@link #poll}, and keeps trying while no broker can be reached.
     *
     * @param memory bounds what a poll returns and what is fetched ahead, together with all other sources that have it
     */
    public KafkaSource(KafkaSettings settings, MemoryBudget memory) {
        wallClock = InstantSource.system();
        decoder = new RecordDecoder(settings.queue(), settings.maxPayload());
        recalls = new RecallReader(settings, memory, decoder, wallClock);
        health = new KafkaHealth(settings, wallClock);
        this.memory = new PollMemory(memory);
        mostOfPart = PollMemory.mostOfPart(ClientProperties.consumer(settings));
        clients = new KafkaClients(settings, health, answers, this.memory);
        placement = settings.ordered() ? new KeyPlacement(settings, clients, health) : null;
        rest = new GroupRest(clients, answers, clock);
        topic = new TopicFacts(settings, clients, answers, clock);
        deadMembers = new DeadMembers(settings, clients, answers, health);
        assigned = new AssignedPartitions(settings, clients, answers, health, events, committer, clock);
        rebalances = new GroupRebalanceListener(clients, assigned, committer, events, LAST_COMMIT_TIMEOUT);
    }

    /**
     * Whether a committed offset may be used for a topic. It may not if Tandem committed it for a former topic of the
     * same name.
     *
     * @param metadata the text committed beside the offset, whoever wrote it
     */
    public static boolean belongsToTopic(String metadata, String topicId) {
        return CommitMetadata.belongsToTopic(metadata, topicId);
    }

    @Override
    public Kind kind() {
        return Kind.LOG;
    }

    /** Returns the state of the connection to Kafka. May be called by any thread. */
    public KafkaStatus status() {
        return health.status();
    }

    @Override
    public Collection<Partition> partitions() {
        return closed ? List.of() : topic.partitions();
    }

    /**
     * Removes a member from the group whose process is certainly gone, so that its partitions are assigned anew at once. Does
     * nothing if there is no such member. May be called by any thread; returns at once.
     *
     * @param memberId its {@link KafkaSettings#memberId}
     */
    public void removeMember(String memberId) {
        deadMembers.add(memberId);
        wakeup.wake();
    }

    @Override
    public void wakeup() {
        wakeup.wake();
    }

    private void interruptWait() {
        clients.wakeup();
        LockSupport.unpark(pollingThread);
    }

    // ---- polling

    @Override
    public void poll(long maxMillis, Events loop) {
        if (closed) {
            return;
        }
        pollingThread = Thread.currentThread();
        events.beginPoll(loop);
        try {
            answers.handleAll();
            pollOnce(maxMillis);
        } finally {
            wakeup.endWait();
            events.endPoll();
        }
    }

    private void pollOnce(long maxMillis) {
        deadMembers.remove();
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (consumer == null) {
            park(maxMillis, clients.connect(clock, rebalances, !rest.isWanted()));
            return;
        }
        if (rest.mustLeave()) {
            leaveGroup();
            return;
        }
        assigned.lookUpDue();
        reportGaps();
        committer.flush(consumer, clock);
        if (clock.now() < pollAt) {
            park(maxMillis, pollAt);
            return;
        }
        memory.beginPoll();
        ConsumerRecords<byte[], byte[]> records = pollConsumer(consumer, waitMillis(maxMillis));
        while (records != null) {
            assigned.recordsFetched();
            deliver(records);
            records = memory.mayGoOn(records, mostOfPart) ? pollConsumer(consumer, 0) : null;
        }
        memory.endPoll();
        clients.checkBrokers(clock.now());
    }

    /** Gives all partitions up, with what is to be committed, and leaves the group. */
    private void leaveGroup() {
        rebalances.onPartitionsRevoked(
                assigned.all().stream().map(each -> each.topicPartition).toList());
        clients.closeConsumer();
        committer.forget();
        health.resolve(Problem.POLL_FAILING);
        health.resolve(Problem.BROKERS_UNREACHABLE);
        health.info("left the consumer group");
    }

    private long waitMillis(long maxMillis) {
        if (maxMillis <= 0 || events.emittedAny()) {
            return 0;
        }
        long untilNext = Math.min(assigned.nextAt(), committer.nextAt()) - clock.now();
        return Math.max(0, Math.min(Math.min(maxMillis, MAX_WAIT_MILLIS), untilNext));
    }

    /** Polls the consumer. Returns null if that failed or was interrupted. */
    private @Nullable ConsumerRecords<byte[], byte[]> pollConsumer(
            KafkaConsumer<byte[], byte[]> consumer, long waitMillis) {
        Duration timeout =
                waitMillis > 0 && wakeup.beginWait(interruptWait) ? Duration.ofMillis(waitMillis) : Duration.ZERO;
        events.insideConsumer(true);
        memory.beginPart();
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(timeout);
            health.resolve(Problem.POLL_FAILING);
            return records;
        } catch (WakeupException e) {
            // The wait was ended on request.
        } catch (InterruptException e) {
            Thread.currentThread().interrupt();
        } catch (LogTruncationException e) {
            assigned.cut(e);
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach(assigned::outOfRange);
        } catch (KafkaException e) {
            health.report(Problem.POLL_FAILING, "polling failed: " + KafkaErrors.explain(e));
            pollAt = clock.now() + RETRY_MILLIS;
        } finally {
            events.insideConsumer(false);
        }
        return null;
    }

    /** Waits without the consumer. */
    private void park(long maxMillis, long until) {
        long waitMillis = events.emittedAny() ? 0 : Math.min(Math.min(maxMillis, MAX_WAIT_MILLIS), until - clock.now());
        if (waitMillis > 0 && wakeup.beginWait(interruptWait)) {
            LockSupport.parkNanos(this, Duration.ofMillis(waitMillis).toNanos());
        }
    }

    private void deliver(ConsumerRecords<byte[], byte[]> records) {
        long arrivedAt = records.isEmpty() ? 0 : wallClock.millis();
        FetchedOffsets.next(records).forEach((topicPartition, next) -> {
            PartitionAssignment assignment = assigned.get(topicPartition);
            // The loop may rewind a partition while it is told of another.
            if (assignment == null || !assignment.isDelivering() || assigned.soughtSinceFetch(assignment)) {
                return;
            }
            List<ConsumerRecord<byte[], byte[]>> fetched = records.records(topicPartition);
            if (assigned.isSameLog(assignment, fetched)) {
                if (placement != null
                        && placement.check(fetched, topic.partitions().size())) {
                    events.emit(Events::mayHaveGrown);
                }
                events.emit(loop ->
                        loop.delivered(assignment.partition, decoder.deliveries(fetched, arrivedAt), next.offset()));
            }
        });
    }

    /** Reports gaps of deleted offsets, so that the settled prefix can pass them before a record arrives. */
    private void reportGaps() {
        for (PartitionAssignment each : assigned.all()) {
            long gapEnd = each.gapEndToReport;
            if (each.isOpen() && gapEnd != NO_OFFSET) {
                each.gapEndToReport = NO_OFFSET;
                events.emit(loop -> loop.delivered(each.partition, List.of(), gapEnd));
            }
        }
    }

    // ---- requests of the queue's loop

    @Override
    public void rest(boolean resting) {
        rest.want(resting);
    }

    @Override
    public void open(Partition partition) {
        PartitionAssignment assignment = assigned.announced(partition);
        if (assignment != null && !assignment.isOpen()) {
            assignment.stage = Stage.OPEN;
            assignment.paused = false;
            assigned.seek(assignment, assignment.readFrom());
            if (assignment.mustCommitStart) {
                committer.commitUnchanged(assignment);
            }
        }
    }

    @Override
    public void pause(Partition partition) {
        PartitionAssignment assignment = assigned.announced(partition);
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (assignment != null && consumer != null) {
            assignment.paused = true;
            consumer.pause(List.of(assignment.topicPartition));
        }
    }

    @Override
    public void resume(Partition partition) {
        PartitionAssignment assignment = assigned.announced(partition);
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (assignment != null && consumer != null) {
            assignment.paused = false;
            if (assignment.isOpen() && !assignment.isOutOfRange()) {
                consumer.resume(List.of(assignment.topicPartition));
            }
        }
    }

    @Override
    public void rewind(Partition partition) {
        PartitionAssignment assignment = assigned.announced(partition);
        if (assignment != null && assignment.isOpen()) {
            assigned.seek(assignment, assignment.readFrom());
        }
    }

    @Override
    public void cutRecorded(Partition partition) {
        assigned.cutRecorded(partition);
    }

    @Override
    public void recall(Partition partition, Recall recall) {
        PartitionAssignment assignment = assigned.announced(partition);
        if (assignment != null) {
            answers.onAnswer(
                    recalls.read(assignment.topicPartition, recall),
                    answer -> events.emit(loop -> answer.report(loop, partition, recall, health)),
                    problem -> events.emit(
                            loop -> loop.recallFailed(partition, recall.id(), KafkaErrors.explain(problem))));
        }
    }

    @Override
    public long retentionMillis() {
        return topic.retentionMillis();
    }

    @Override
    public @Nullable Growing growing() {
        return placement == null || placement.windowMillis() == 0 ? null : placement;
    }

    @Override
    public void commit(Partition partition, long upTo) {
        PartitionAssignment assignment = assigned.announced(partition);
        if (assignment != null) {
            committer.commit(assignment, upTo);
        }
    }

    @Override
    public void confirm(Partition partition) {
        PartitionAssignment assignment = assigned.announced(partition);
        if (assignment != null) {
            assignment.confirmRequested = true;
            assignment.confirmReady = false;
            assignment.lookUpAt = clock.now();
        }
    }

    /** @throws UnsupportedOperationException always, since the offsets of a log are committed */
    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        throw new UnsupportedOperationException("Kafka offsets are committed, not acked one by one");
    }

    /** Does nothing: the group takes a Kafka partition away, this process cannot give it back. */
    @Override
    public void close(Partition partition) {}

    /** Commits what was asked for and leaves the group. Takes a few seconds at most. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.close();
            rebalances.close();
            recalls.close();
            KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
            if (consumer != null) {
                committer.commitNow(consumer, assigned.all(), LAST_COMMIT_TIMEOUT);
                assigned.remove(assigned.all());
            }
            clients.close();
        }
    }

    /** Returns a metric of the consumer, for tests; NaN if there is none. */
    double metric(String name) {
        return clients.metric(name);
    }
}
