package dev.tandem.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A topic of one trial, and what its group has committed. Thread-safe. */
final class TrialTopic implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 5_000;
    private static final int CREATE_MILLIS = 30_000;

    private final Admin admin;
    private final String name;
    private final int partitions;

    /** Creates it. */
    TrialTopic(String servers, String name, int partitions) throws InterruptedException {
        this.name = name;
        this.partitions = partitions;
        this.admin = Admin.create(Map.of(
                "bootstrap.servers",
                servers,
                "request.timeout.ms",
                PATIENCE_MILLIS / 2,
                "default.api.timeout.ms",
                PATIENCE_MILLIS));
        try {
            // A broker that has just started may be busy with itself for longer than any other call may take.
            admin.createTopics(
                            List.of(new NewTopic(name, partitions, (short) -1)),
                            new CreateTopicsOptions().timeoutMs(CREATE_MILLIS))
                    .all()
                    .get(2L * CREATE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            admin.close();
            throw new IllegalStateException("The topic " + name + " could not be created: " + e.getMessage(), e);
        }
    }

    /** By partition; 0 where nothing was committed yet. */
    List<Long> committed() throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets("tandem." + name)
                .partitionsToOffsetAndMetadata()
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        List<Long> committed = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            OffsetAndMetadata offset = offsets.get(new TopicPartition(name, partition));
            committed.add(offset == null ? 0 : offset.offset());
        }
        return committed;
    }

    /** Offsets that are not committed, of all partitions. */
    long backlog() throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        long ends = 0;
        for (var end : admin.listOffsets(asked)
                .all()
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .values()) {
            ends += end.offset();
        }
        return ends - committed().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void close() {
        admin.close(java.time.Duration.ofSeconds(1));
    }
}
