package dev.tandem.kafka;

import static dev.tandem.kafka.PartitionAssignment.NEVER;
import static dev.tandem.kafka.PartitionAssignment.NO_OFFSET;

import dev.tandem.kafka.KafkaHealth.Problem;
import dev.tandem.kafka.PartitionAssignment.Stage;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that the group assigned to this process. Looks up their offsets without blocking, and checks the
 * topic's id periodically, since a topic that is deleted and created again keeps its name. Used by the polling thread
 * only.
 */
final class AssignedPartitions {

    private static final long RETRY_MILLIS = 1_000;

    private final KafkaSettings settings;
    private final KafkaClients clients;
    private final AnswerQueue answers;
    private final KafkaHealth health;
    private final LoopEvents events;
    private final OffsetCommitter committer;
    private final MonotonicClock clock;
    private final Map<TopicPartition, PartitionAssignment> assignments = new HashMap<>();
    private final FormerEpochs formerEpochs = new FormerEpochs();
    private final long topicCheckMillis;
    private long topicCheckAt;
    private boolean checkingTopic;
    private long fetches;

    AssignedPartitions(
            KafkaSettings settings,
            KafkaClients clients,
            AnswerQueue answers,
            KafkaHealth health,
            LoopEvents events,
            OffsetCommitter committer,
            MonotonicClock clock) {
        this.settings = settings;
        this.clients = clients;
        this.answers = answers;
        this.health = health;
        this.events = events;
        this.committer = committer;
        this.clock = clock;
        this.topicCheckMillis = ClientProperties.topicCheckMillis(settings.properties());
        this.topicCheckAt = topicCheckMillis;
    }

    /** Adds a partition that the group assigned. Nothing is read from it before {@link #seek}. */
    PartitionAssignment add(TopicPartition topicPartition) {
        PartitionAssignment added =
                new PartitionAssignment(topicPartition, Partition.of(settings.queue(), topicPartition.partition()));
        assignments.put(topicPartition, added);
        added.lookUpAt = clock.now();
        // Any position will do: the consumer then does not look one up itself, and reads nothing while paused.
        consumer().pause(List.of(topicPartition));
        consumer().seek(topicPartition, 0);
        return added;
    }

    @Nullable
    PartitionAssignment get(TopicPartition topicPartition) {
        return assignments.get(topicPartition);
    }

    /** Returns the partition's assignment if the queue's loop was told of it, else null. */
    @Nullable
    PartitionAssignment announced(Partition partition) {
        try {
            PartitionAssignment found =
                    assignments.get(new TopicPartition(settings.topic(), Integer.parseInt(partition.name())));
            return found != null && found.isAnnounced() && found.partition.equals(partition) ? found : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the assignments of those of the partitions that are assigned. */
    List<PartitionAssignment> among(Collection<TopicPartition> partitions) {
        List<PartitionAssignment> assigned = new ArrayList<>();
        for (TopicPartition each : partitions) {
            PartitionAssignment assignment = assignments.get(each);
            if (assignment != null) {
                assigned.add(assignment);
            }
        }
        return assigned;
    }

    List<PartitionAssignment> all() {
        return List.copyOf(assignments.values());
    }

    void remove(Collection<PartitionAssignment> leaving) {
        for (PartitionAssignment each : leaving) {
            formerEpochs.keep(each);
            each.stage = Stage.GONE;
            assignments.remove(each.topicPartition);
        }
        // The partitions of a deleted topic are taken away too, so check the topic soon.
        topicCheckAt = Math.min(topicCheckAt, clock.now() + RETRY_MILLIS);
    }

    /** Continues to read at the offset, unless the partition is paused or out of range. */
    void seek(PartitionAssignment assignment, long offset) {
        if (!assignment.isOutOfRange()) {
            assignment.soughtAfterFetch = fetches;
            assignment.awaitsRewind = false;
            consumer().seek(assignment.topicPartition, withEpoch(assignment, offset));
            if (!assignment.paused) {
                consumer().resume(List.of(assignment.topicPartition));
            }
        }
    }

    /** With the epoch, the consumer asks the leader whether the log still has the record before the offset. */
    private static OffsetAndMetadata withEpoch(PartitionAssignment assignment, long offset) {
        return new OffsetAndMetadata(offset, assignment.epochs.before(offset), "");
    }

    /** Notes that records were fetched. Those of a partition that is moved from now on must not be delivered. */
    void recordsFetched() {
        fetches++;
    }

    boolean soughtSinceFetch(PartitionAssignment assignment) {
        return assignment.soughtAfterFetch == fetches;
    }

    /** Handles that the consumer cannot read at this offset because the log does not contain it. */
    void outOfRange(TopicPartition topicPartition, long offset) {
        PartitionAssignment assignment = assignments.get(topicPartition);
        if (assignment != null) {
            consumer().pause(List.of(topicPartition));
            assignment.outOfRangeAt = offset;
            assignment.lookUpAt = clock.now();
        }
    }

    void cut(LogTruncationException found) {
        found.offsetOutOfRangePartitions()
                .forEach((partition, offset) ->
                        cut(partition, offset, found.divergentOffsets().get(partition)));
    }

    /**
     * Handles that the log was cut below the consumer's offset.
     *
     * @param cut where, with the epoch of the record before; null if it is not known
     */
    private void cut(TopicPartition topicPartition, long offset, @Nullable OffsetAndMetadata cut) {
        PartitionAssignment assignment = assignments.get(topicPartition);
        if (assignment == null || cut == null) {
            outOfRange(topicPartition, offset);
        } else if (cut.offset() < assignment.highestSent) {
            replace(assignment, true).cut = cut;
        } else if (isVoidFrom(assignment, cut.offset())) {
            consumer().pause(List.of(topicPartition));
            consumer().seek(topicPartition, withEpoch(assignment, assignment.readFrom()));
        } else {
            seek(assignment, assignment.readFrom());
        }
    }

    /** Commits the leader epochs, since the store durably knows of the cut. */
    void cutRecorded(Partition partition) {
        PartitionAssignment assignment = announced(partition);
        if (assignment != null && assignment.epochs.confirm()) {
            assignment.mustCommitStart = true;
            committer.commitUnchanged(assignment);
        }
    }

    /**
     * Whether fetched records belong to the log that is known. If not, nothing is delivered until the queue's loop
     * rewinds.
     */
    boolean isSameLog(PartitionAssignment assignment, List<? extends ConsumerRecord<?, ?>> fetched) {
        LeaderEpochs epochs = assignment.epochs;
        if (fetched.isEmpty() || epochs.knows(fetched.get(0), fetched.get(fetched.size() - 1))) {
            return true;
        }
        // The first records count, too: else nobody would know later whether they are still the same.
        boolean isNewLeader = epochs.isEmpty();
        for (ConsumerRecord<?, ?> each : fetched) {
            int epoch = LeaderEpochs.of(each);
            int known = epochs.at(each.offset());
            if (epoch != known && epoch != LeaderEpochs.UNKNOWN) {
                if (known != LeaderEpochs.UNKNOWN && isVoidFrom(assignment, each.offset())) {
                    epochs.begins(each.offset(), epoch);
                    return false;
                }
                isNewLeader |= known != LeaderEpochs.UNKNOWN;
                epochs.begins(each.offset(), epoch);
            }
        }
        if (isNewLeader) {
            // The next owner must know whether these records are others than those that are settled.
            assignment.mustCommitStart = true;
            committer.commitUnchanged(assignment);
        }
        return true;
    }

    /** Asks the queue's loop whether a cut at this offset makes something void that it or the store knows. */
    private boolean isVoidFrom(PartitionAssignment assignment, long offset) {
        boolean[] isVoid = {true};
        events.emit(loop -> isVoid[0] = loop.cut(assignment.partition, offset));
        assignment.epochs.cut(offset);
        if (isVoid[0]) {
            health.warn(StartOffset.cutWarning(assignment.partition.name(), offset)
                    + ", not below the committed one. Reading goes on at the committed offset");
            assignment.awaitsRewind = true;
        }
        return isVoid[0];
    }

    /** Returns when {@link #lookUpDue} has something to do. */
    long nextAt() {
        long next = topicCheckAt;
        for (PartitionAssignment each : assignments.values()) {
            next = Math.min(next, each.lookUpAt);
        }
        return next;
    }

    /** Starts the lookups that are due. Their answers arrive through the answer queue. */
    void lookUpDue() {
        long now = clock.now();
        List<PartitionAssignment> due = new ArrayList<>();
        for (PartitionAssignment each : assignments.values()) {
            if (each.lookUpAt <= now) {
                each.lookUpAt = NEVER;
                due.add(each);
            }
        }
        if (!due.isEmpty()) {
            Map<TopicPartition, CompletionStage<PartitionOffsets>> lookups = clients.admin()
                    .offsets(due.stream().map(each -> each.topicPartition).toList());
            for (PartitionAssignment each : due) {
                boolean confirms = each.confirmRequested;
                answers.onAnswer(
                        Objects.requireNonNull(lookups.get(each.topicPartition)),
                        found -> lookedUp(each, found, confirms),
                        problem -> lookupFailed(each, problem));
            }
        }
        if (topicCheckAt <= now && !checkingTopic) {
            checkingTopic = true;
            topicCheckAt = NEVER;
            answers.onAnswer(clients.admin().topicId(), this::topicChecked, this::topicCheckFailed);
        }
    }

    private void lookupFailed(PartitionAssignment assignment, Throwable problem) {
        if (!assignment.isGone()) {
            assignment.lookUpAt = clock.now() + RETRY_MILLIS;
            health.report(
                    Problem.OFFSETS_UNKNOWN,
                    "cannot look up the offsets of partition " + assignment.partition.name() + ": "
                            + KafkaErrors.explain(problem));
        }
    }

    private void lookedUp(PartitionAssignment assignment, PartitionOffsets found, boolean confirms) {
        if (assignment.isGone()) {
            return;
        }
        health.resolve(Problem.OFFSETS_UNKNOWN);
        if (!assignment.isAnnounced()) {
            announce(assignment, found);
        } else if (!found.topicId().equals(assignment.topicId)) {
            topicRecreated(assignment, found.topicId());
        } else {
            assignment.logStart = found.logStart();
            if (assignment.isOutOfRange()) {
                recoverPosition(assignment);
            }
            if (confirms && assignment.confirmRequested && !assignment.isGone()) {
                assignment.logEnd = found.logEnd();
                assignment.confirmReady = true;
                committer.commitUnchanged(assignment);
            }
        }
    }

    private void announce(PartitionAssignment assignment, PartitionOffsets found) {
        OffsetAndMetadata cut = assignment.cut;
        String name = assignment.partition.name();
        boolean sameTopic = CommitMetadata.belongsToTopic(found.metadata(), found.topicId());
        StartOffset start = cut != null && sameTopic && cut.offset() >= found.logStart()
                ? StartOffset.atCut(name, found, cut.offset())
                : StartOffset.of(name, found, assignment.logTruncated);
        if (start.warning() != null) {
            health.warn(start.warning());
        }
        assignment.announce(start, found);
        assignment.lostFrom = formerEpochs.replacedFrom(assignment);
        long generation = consumer().groupMetadata().generationId();
        events.emit(loop -> loop.assigned(assignment.partition, assignment.facts(generation)));
        if (cut != null) {
            events.emit(loop -> loop.cut(assignment.partition, cut.offset()));
        }
    }

    private void topicChecked(String id) {
        checkingTopic = false;
        topicCheckAt = clock.now() + topicCheckMillis;
        health.resolve(Problem.TOPIC_MISSING);
        for (PartitionAssignment each : all()) {
            if (each.isAnnounced() && !each.topicId.equals(id)) {
                topicRecreated(each, id);
            }
        }
    }

    private void topicCheckFailed(Throwable problem) {
        checkingTopic = false;
        topicCheckAt = clock.now() + RETRY_MILLIS;
        if (problem instanceof UnknownTopicOrPartitionException) {
            health.report(Problem.TOPIC_MISSING, "the topic does not exist any more: create it again");
        }
    }

    private void topicRecreated(PartitionAssignment assignment, String id) {
        health.warn("partition " + assignment.partition.name() + ": the topic was deleted and created again (id "
                + assignment.topicId + ", now " + id + "), so tasks of the former topic that were not read are lost."
                + " Reading starts anew");
        replace(assignment, false);
    }

    private void recoverPosition(PartitionAssignment assignment) {
        long offset = assignment.outOfRangeAt;
        long logStart = assignment.logStart;
        if (offset >= logStart) {
            health.warn("partition " + assignment.partition.name() + ": the log ends before offset " + offset
                    + ", so it was truncated. The partition is given up and assigned anew");
            replace(assignment, true);
            return;
        }
        health.warn(StartOffset.deletedWarning(assignment.partition.name(), offset, logStart));
        assignment.outOfRangeAt = NO_OFFSET;
        assignment.start = logStart;
        assignment.gapEndToReport = logStart;
        if (assignment.isOpen()) {
            seek(assignment, logStart);
        }
    }

    /** Reports the partition as lost and assigns it anew, since nothing known about it is valid any more. */
    private PartitionAssignment replace(PartitionAssignment assignment, boolean logTruncated) {
        formerEpochs.keep(assignment);
        assignment.stage = Stage.GONE;
        events.emit(loop -> loop.lost(List.of(assignment.partition)));
        PartitionAssignment added = add(assignment.topicPartition);
        added.logTruncated = logTruncated;
        return added;
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return Objects.requireNonNull(clients.consumer(), "no partition is assigned without a consumer");
    }
}
