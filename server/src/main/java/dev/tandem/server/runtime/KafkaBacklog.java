package dev.tandem.server.runtime;

import dev.tandem.kafka.KafkaSource;
import dev.tandem.runtime.settings.TandemSettings.KafkaSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the messages between a group's commits and the ends of a topic's partitions. Tasks above the committed offset
 * may be settled already, until the next commit or while an earlier task runs.
 */
final class KafkaBacklog implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KafkaBacklog.class);

    private static final long TIMEOUT_MILLIS = 1_500;

    /** For how long nothing is asked after Kafka did not answer, so that a list of queues waits once and not for each. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final KafkaSettings settings;
    private @Nullable Admin admin;
    private volatile long silentUntil = System.nanoTime();

    KafkaBacklog(KafkaSettings settings) {
        this.settings = settings;
    }

    /** Returns the backlog by partition; empty if Kafka does not answer or the topic does not exist. */
    Map<String, Long> of(String topic, String group) {
        if (silentUntil - System.nanoTime() > 0) {
            return Map.of();
        }
        try {
            Admin asked = admin();
            TopicDescription described = await(Objects.requireNonNull(
                    asked.describeTopics(List.of(topic)).topicNameValues().get(topic)));
            Map<TopicPartition, OffsetSpec> ends = described.partitions().stream()
                    .collect(Collectors.toMap(
                            partition -> new TopicPartition(topic, partition.partition()),
                            partition -> OffsetSpec.latest()));
            var latest = asked.listOffsets(ends).all();
            var earliest = asked.listOffsets(ends.keySet().stream()
                            .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.earliest())))
                    .all();
            return lags(await(latest), await(earliest), committed(asked, described, group));
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            if (isTimeout(e)) {
                silentUntil = System.nanoTime() + SILENT_NANOS;
            }
            log.debug("Cannot read the backlog of topic {}: {}", topic, e.toString());
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }

    /** Returns what the group has committed of the topic that has the name now. */
    private static Map<TopicPartition, OffsetAndMetadata> committed(Admin asked, TopicDescription topic, String group)
            throws InterruptedException, ExecutionException, TimeoutException {
        var committed = asked.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata();
        Map<TopicPartition, OffsetAndMetadata> ours = new HashMap<>(await(committed));
        ours.keySet().removeIf(partition -> !partition.topic().equals(topic.name()));
        String topicId = topic.topicId().toString();
        ours.values().removeIf(commit -> commit == null || !KafkaSource.belongsToTopic(commit.metadata(), topicId));
        return ours;
    }

    /** Returns the offsets that the group has committed, by partition; empty if Kafka does not answer or the topic does not exist. */
    Map<String, Long> settled(String topic, String group) {
        try {
            Admin asked = admin();
            TopicDescription described = await(Objects.requireNonNull(
                    asked.describeTopics(List.of(topic)).topicNameValues().get(topic)));
            Map<String, Long> named = new LinkedHashMap<>();
            committed(asked, described, group)
                    .forEach(
                            (partition, commit) -> named.put(Integer.toString(partition.partition()), commit.offset()));
            return named;
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            log.debug("Cannot read the commits of topic {}: {}", topic, e.toString());
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }

    /** Returns the offset behind the last record of each partition; empty if Kafka does not answer or the topic does not exist. */
    Map<String, Long> ends(String topic) {
        try {
            Admin asked = admin();
            TopicDescription described = await(Objects.requireNonNull(
                    asked.describeTopics(List.of(topic)).topicNameValues().get(topic)));
            Map<TopicPartition, OffsetSpec> ends = described.partitions().stream()
                    .collect(Collectors.toMap(
                            partition -> new TopicPartition(topic, partition.partition()),
                            partition -> OffsetSpec.latest()));
            Map<String, Long> named = new LinkedHashMap<>();
            await(asked.listOffsets(ends).all())
                    .forEach((partition, end) -> named.put(Integer.toString(partition.partition()), end.offset()));
            return named;
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            log.debug("Cannot read the ends of topic {}: {}", topic, e.toString());
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }

    private static boolean isTimeout(Exception failure) {
        return failure instanceof TimeoutException
                || failure.getCause() instanceof org.apache.kafka.common.errors.TimeoutException;
    }

    private static Map<String, Long> lags(
            Map<TopicPartition, ListOffsetsResultInfo> latest,
            Map<TopicPartition, ListOffsetsResultInfo> earliest,
            Map<TopicPartition, OffsetAndMetadata> committed) {
        Map<Integer, Long> lags = new TreeMap<>();
        latest.forEach((partition, end) -> {
            OffsetAndMetadata commit = committed.get(partition);
            ListOffsetsResultInfo first = earliest.get(partition);
            long start = first == null ? 0 : first.offset();
            long from = commit == null ? start : Math.max(start, commit.offset());
            lags.put(partition.partition(), Math.max(0, end.offset() - from));
        });
        Map<String, Long> named = new LinkedHashMap<>();
        lags.forEach((partition, lag) -> named.put(Integer.toString(partition), lag));
        return named;
    }

    /** Asks Kafka for its nodes. Returns null. @throws Exception if it does not answer in time */
    @Nullable
    Void ping() throws Exception {
        await(admin().describeCluster().nodes());
        return null;
    }

    private static <T> T await(KafkaFuture<T> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized Admin admin() {
        if (admin == null) {
            admin = admin(settings, TIMEOUT_MILLIS);
        }
        return admin;
    }

    /** Returns an admin client whose calls fail after this time. */
    static Admin admin(KafkaSettings settings, long timeoutMillis) {
        Map<String, Object> properties = new HashMap<>();
        settings.properties().forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name)) {
                properties.put(name, value);
            }
        });
        properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(timeoutMillis));
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(timeoutMillis));
        return Admin.create(properties);
    }

    @Override
    public synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
