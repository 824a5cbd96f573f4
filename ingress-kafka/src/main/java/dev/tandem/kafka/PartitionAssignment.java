package dev.tandem.kafka;

import dev.tandem.task.Partition;
import dev.tandem.task.Source.Facts;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The state of one assignment of one partition. A later assignment of the same partition is a new object, so an answer
 * that arrives too late is recognised by {@link Stage#GONE}. Used by the polling thread only.
 */
final class PartitionAssignment {

    /** Stands for "no offset". */
    static final long NO_OFFSET = -1;

    /** Stands for "no time is set". */
    static final long NEVER = Long.MAX_VALUE;

    enum Stage {
        /** Assigned by the group, but its offsets are not known yet and the queue's loop has not been told. */
        LOOKING_UP,
        /** The queue's loop was told. */
        ANNOUNCED,
        /** Its records are delivered. */
        OPEN,
        /** Taken away or replaced. */
        GONE
    }

    final TopicPartition topicPartition;
    final Partition partition;
    Stage stage = Stage.LOOKING_UP;

    /** Whether the queue's loop wants no deliveries for now. */
    boolean paused;

    /** Whether the log was truncated below the committed offset, which is then of no use. */
    boolean logTruncated;

    /** Where the log was cut below the committed offset, with the epoch of the record before it; null if it was not. */
    @Nullable
    OffsetAndMetadata cut;

    /** The epochs of the records that were read or committed. */
    final LeaderEpochs epochs = new LeaderEpochs();

    /** From where on records are gone that an earlier assignment had. */
    long lostFrom = NO_OFFSET;

    /** Whether records do not count until the queue's loop rewinds, since the log was cut. */
    boolean awaitsRewind;

    /** Where the consumer stands outside of the log. Nothing is fetched until its position is recovered. */
    long outOfRangeAt = NO_OFFSET;

    String topicId = "";
    long logStart;

    /** The offset below which all is settled, according to the broker. */
    long committed;

    /** Where reading goes on if nothing is settled meanwhile. */
    long start;

    /** The highest offset sent in a commit. Never decreases during an assignment. */
    long highestSent;

    /** The number of the last fetch before the latest seek; see {@link AssignedPartitions#recordsFetched}. */
    long soughtAfterFetch = -1;

    /** The end of a gap that must be reported although no record is delivered. */
    long gapEndToReport = NO_OFFSET;

    /** When to look up the offsets. {@link #NEVER} while that is not needed, or under way. */
    long lookUpAt = NEVER;

    /** Whether the queue's loop asked for a confirmation. */
    boolean confirmRequested;

    /** Where the log ended when it was looked up for the confirmation. */
    long logEnd = NO_OFFSET;

    /** Whether the offsets were looked up for the confirmation, so that only its fenced commit is missing. */
    boolean confirmReady;

    /** The offset that the queue's loop asked to commit. */
    long requestedCommit = NO_OFFSET;

    /** Whether the last offset must be committed again: as the start, or with new epochs. */
    boolean mustCommitStart;

    /** The earliest time of the next commit that the queue's loop did not ask for. */
    long retryCommitAt;

    PartitionAssignment(TopicPartition topicPartition, Partition partition) {
        this.topicPartition = topicPartition;
        this.partition = partition;
    }

    /** Sets the offsets that were looked up first. */
    void announce(StartOffset decided, PartitionOffsets found) {
        stage = Stage.ANNOUNCED;
        topicId = found.topicId();
        logStart = found.logStart();
        committed = decided.committed();
        start = decided.offset();
        highestSent = decided.committed() >= 0 ? decided.committed() : decided.offset();
        mustCommitStart = decided.mustCommit();
        boolean skipsGap = decided.warning() != null && decided.offset() > found.committed();
        gapEndToReport = skipsGap ? decided.offset() : NO_OFFSET;
        if (cut != null && decided.offset() == cut.offset()) {
            epochs.committed(decided.offset(), cut.leaderEpoch(), "");
        } else if (decided.offset() == found.committed()
                && CommitMetadata.belongsToTopic(found.metadata(), found.topicId())) {
            epochs.committed(decided.offset(), found.epoch(), CommitMetadata.epochs(found.metadata()));
        }
        if (cut != null) {
            epochs.cut(cut.offset());
        }
    }

    boolean isAnnounced() {
        return stage == Stage.ANNOUNCED || stage == Stage.OPEN;
    }

    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    boolean isDelivering() {
        return isOpen() && !awaitsRewind;
    }

    boolean isGone() {
        return stage == Stage.GONE;
    }

    boolean isOutOfRange() {
        return outOfRangeAt != NO_OFFSET;
    }

    /** Whether the offset is only the start, with nothing known to be settled before it. */
    boolean isStart(long offset) {
        return committed < 0 && offset <= start;
    }

    /** Returns the offset where reading starts, or starts again after a rewind. */
    long readFrom() {
        return Math.max(start, committed);
    }

    Facts facts(long generation) {
        return new Facts(generation, topicId, committed, logStart)
                .withLogEnd(logEnd)
                .withLostFrom(lostFrom);
    }
}
