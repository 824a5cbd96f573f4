package dev.tandem.kafka;

import dev.tandem.task.Partition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Follows the group's assignments. Called by the consumer on the polling thread, inside a poll or while it closes. */
final class GroupRebalanceListener implements ConsumerRebalanceListener {

    private final KafkaClients clients;
    private final AssignedPartitions assigned;
    private final OffsetCommitter committer;
    private final LoopEvents events;
    private final Duration lastCommitTimeout;
    private boolean closed;

    GroupRebalanceListener(
            KafkaClients clients,
            AssignedPartitions assigned,
            OffsetCommitter committer,
            LoopEvents events,
            Duration lastCommitTimeout) {
        this.clients = clients;
        this.assigned = assigned;
        this.committer = committer;
        this.events = events;
        this.lastCommitTimeout = lastCommitTimeout;
    }

    /** Ignores partitions that are assigned from now on. */
    void close() {
        closed = true;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (!closed) {
            partitions.forEach(assigned::add);
            assigned.lookUpDue();
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        List<PartitionAssignment> leaving = assigned.among(partitions);
        List<Partition> announced = announced(leaving);
        if (!announced.isEmpty()) {
            events.emit(loop -> loop.revoked(announced));
        }
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
        if (consumer != null) {
            committer.commitNow(consumer, leaving, lastCommitTimeout);
        }
        assigned.remove(leaving);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        List<PartitionAssignment> leaving = assigned.among(partitions);
        List<Partition> announced = announced(leaving);
        assigned.remove(leaving);
        if (!announced.isEmpty()) {
            events.emit(loop -> loop.lost(announced));
        }
    }

    private static List<Partition> announced(List<PartitionAssignment> leaving) {
        return leaving.stream()
                .filter(PartitionAssignment::isAnnounced)
                .map(each -> each.partition)
                .toList();
    }
}
