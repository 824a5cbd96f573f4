package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * The offset where reading of a partition starts. Nothing is skipped silently: if offsets were deleted, reading starts
 * at the log's start, and a warning says how many are missing.
 *
 * <p>While nothing is settled, the start itself is committed with a {@linkplain CommitMetadata#start mark}. Without
 * that commit, later deletions would go unnoticed. Without the mark, a group whose offsets the broker forgot (as it
 * does after a week without members) would look like one that an operator moved back.
 *
 * @param offset the first offset to read
 * @param committed the offset below which all is settled, according to the broker; -1 if that is not known
 * @param mustCommit whether the start must be committed, so that the decision outlives this process
 * @param warning what people must know; null if there is nothing
 */
record StartOffset(
        long offset,
        long committed,
        boolean mustCommit,
        @Nullable String warning) {

    /**
     * Decides where to start.
     *
     * @param logTruncated whether the broker refused to read at the committed offset although the log starts before it.
     *     Then the log was truncated, and its records may be new ones
     */
    static StartOffset of(String partition, PartitionOffsets found, boolean logTruncated) {
        long committed = found.committed();
        long logStart = found.logStart();
        if (committed < 0) {
            return new StartOffset(logStart, -1, true, null);
        }
        if (!CommitMetadata.belongsToTopic(found.metadata(), found.topicId())) {
            return new StartOffset(
                    logStart,
                    -1,
                    true,
                    "partition " + partition + ": the committed offset " + committed + " belongs to a former topic of"
                            + " this name (id " + CommitMetadata.topicId(found.metadata()) + ", now " + found.topicId()
                            + "), so it is ignored. Reading starts at the log's start " + logStart);
        }
        boolean onlyStart = CommitMetadata.isStart(found.metadata());
        if (logTruncated) {
            return new StartOffset(
                    logStart,
                    logStart,
                    true,
                    "partition " + partition + ": the log ends before the committed offset " + committed
                            + ", so it was truncated. Reading starts at the log's start " + logStart
                            + "; tasks that ended before may run again");
        }
        if (committed < logStart) {
            return new StartOffset(
                    logStart, onlyStart ? -1 : committed, onlyStart, deletedWarning(partition, committed, logStart));
        }
        return new StartOffset(committed, onlyStart ? -1 : committed, false, null);
    }

    /**
     * Starts where the log was cut, if that is below the committed offset. It need not be: a commit from beyond the cut may
     * have failed. The store must not be told of a higher committed offset than Kafka has.
     */
    static StartOffset atCut(String partition, PartitionOffsets found, long cut) {
        if (found.committed() < cut) {
            return of(partition, found, false);
        }
        boolean onlyStart = CommitMetadata.isStart(found.metadata());
        return new StartOffset(
                cut,
                onlyStart ? -1 : cut,
                true,
                cutWarning(partition, cut) + ", below the committed offset " + found.committed()
                        + ". Reading goes on there");
    }

    /** Returns the warning that the log lost its records from this offset on. */
    static String cutWarning(String partition, long cut) {
        return "partition " + partition + ": the log was cut at offset " + cut
                + " (an unclean leader election, or a broker that lost its last writes), so records that had been"
                + " acknowledged are gone. To prevent that, use several replicas and"
                + " unclean.leader.election.enable=false. The cut is at offset " + cut;
    }

    /**
     * Returns the warning that the offsets from {@code first} up to the log's start were deleted before they were read.
     */
    static String deletedWarning(String partition, long first, long logStart) {
        return "partition " + partition + ": offsets " + first + " to " + (logStart - 1) + " (" + (logStart - first)
                + ") were deleted before they were read, so their tasks are lost. Reading goes on at the log's start "
                + logStart + ". Raise the topic's retention";
    }
}
