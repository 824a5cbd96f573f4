package dev.tandem.verify;

import java.time.Duration;
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

/** The Kafka topic of a trial, and the committed offsets of its group. Thread-safe. */
final class TrialTopic implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int CREATE_MILLIS = 30_000;

    private final Admin admin;
    private final String name;
    private final int partitions;

    /** Creates the topic. */
    TrialTopic(String servers, String name, int partitions) throws InterruptedException {
        this.name = name;
        this.partitions = partitions;
        this.admin = Admin.create(Map.of(
                "bootstrap.servers",
                servers,
                "request.timeout.ms",
                TIMEOUT_MILLIS / 2,
                "default.api.timeout.ms",
                TIMEOUT_MILLIS));
        try {
            // A broker that has just started may take longer for this than for other calls.
            admin.createTopics(
                            List.of(new NewTopic(name, partitions, (short) -1)),
                            new CreateTopicsOptions().timeoutMs(CREATE_MILLIS))
                    .all()
                    .get(2L * CREATE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            admin.close();
            throw new IllegalStateException("Cannot create the topic " + name + ": " + e.getMessage(), e);
        }
    }

    /** Returns the committed offsets by partition; 0 if nothing was committed yet. */
    List<Long> committed() throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets("tandem." + name)
                .partitionsToOffsetAndMetadata()
                .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        List<Long> committed = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            OffsetAndMetadata offset = offsets.get(new TopicPartition(name, partition));
            committed.add(offset == null ? 0 : offset.offset());
        }
        return committed;
    }

    /** Returns how many offsets of all partitions are not committed. */
    long backlog() throws Exception {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            latest.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        long ends = 0;
        for (var end : admin.listOffsets(latest)
                .all()
                .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .values()) {
            ends += end.offset();
        }
        return ends - committed().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
