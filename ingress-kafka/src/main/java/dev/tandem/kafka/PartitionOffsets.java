package dev.tandem.kafka;

import java.util.Optional;

/**
 * The offsets of a partition, as the brokers report them.
 *
 * @param topicId the id of the topic that exists now
 * @param committed the group's committed offset; -1 if there is none
 * @param metadata the text committed beside it, which anybody may have written; empty if there is none
 * @param logStart the first offset that still exists
 * @param logEnd the offset of the next record
 * @param epoch the leader epoch of the record before the committed offset, if it was committed too
 */
record PartitionOffsets(
        String topicId, long committed, String metadata, long logStart, long logEnd, Optional<Integer> epoch) {

    /** Offsets of a commit without a leader epoch. */
    PartitionOffsets(String topicId, long committed, String metadata, long logStart) {
        this(topicId, committed, metadata, logStart, logStart, Optional.empty());
    }
}
