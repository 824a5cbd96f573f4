package dev.tandem.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The leader epochs of the records that earlier assignments of this process had, for runs that outlast an assignment. Used by
 * the polling thread only.
 */
final class FormerEpochs {

    private record Former(String topicId, LeaderEpochs epochs) {}

    private final Map<TopicPartition, Former> byPartition = new HashMap<>();

    /** Keeps what an assignment knows that ends now. Nothing is known before it was announced. */
    void keep(PartitionAssignment ending) {
        if (ending.isAnnounced()) {
            Former former = byPartition.get(ending.topicPartition);
            if (former != null && former.topicId().equals(ending.topicId)) {
                ending.epochs.addNewerOf(former.epochs());
            }
            byPartition.put(ending.topicPartition, new Former(ending.topicId, ending.epochs));
        }
    }

    /**
     * Returns the first offset that has another record than an earlier assignment read there; {@link
     * PartitionAssignment#NO_OFFSET} if nothing that was committed says so.
     */
    long replacedFrom(PartitionAssignment begun) {
        Former former = byPartition.get(begun.topicPartition);
        return former != null && former.topicId().equals(begun.topicId)
                ? begun.epochs.replacedFrom(former.epochs())
                : PartitionAssignment.NO_OFFSET;
    }
}
