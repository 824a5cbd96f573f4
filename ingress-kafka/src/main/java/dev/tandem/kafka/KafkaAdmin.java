package dev.tandem.kafka;

import dev.tandem.task.LogEnds;
import dev.tandem.task.Source;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Asks the brokers about the topic and the group, beside the consumer. No method blocks; answers arrive on the admin
 * client's thread.
 */
final class KafkaAdmin implements AutoCloseable {

    private static final int CONNECT_TIMEOUT_MILLIS = 4_000;
    private static final int LOOKUP_TIMEOUT_MILLIS = 10_000;

    private final KafkaSettings settings;
    private final Admin admin;

    /** @throws org.apache.kafka.common.KafkaException if no server's name can be resolved */
    KafkaAdmin(KafkaSettings settings) {
        this.settings = settings;
        this.admin = Admin.create(ClientProperties.admin(settings.bootstrapServers(), settings.properties()));
    }

    /**
     * The topic that there is now.
     *
     * @param created whether it was missing
     * @param partitions 0 if it was created and the broker chose their number
     */
    record Topic(boolean created, int partitions) {}

    /** Creates the topic if it is missing. The answer comes with a short timeout, since people wait for it. */
    CompletionStage<Topic> ensureTopic() {
        CompletableFuture<Topic> answer = new CompletableFuture<>();
        topic(CONNECT_TIMEOUT_MILLIS).whenComplete((found, problem) -> {
            if (problem == null) {
                answer.complete(new Topic(false, found.partitions().size()));
            } else if (KafkaErrors.unwrap(problem) instanceof UnknownTopicOrPartitionException) {
                create(answer);
            } else {
                answer.completeExceptionally(problem);
            }
        });
        return answer;
    }

    private void create(CompletableFuture<Topic> answer) {
        Optional<Integer> partitions =
                settings.partitions() == 0 ? Optional.empty() : Optional.of(settings.partitions());
        admin.createTopics(List.of(new NewTopic(settings.topic(), partitions, Optional.empty())))
                .all()
                .toCompletionStage()
                .whenComplete((nothing, problem) -> {
                    if (problem == null) {
                        answer.complete(new Topic(true, settings.partitions()));
                    } else if (KafkaErrors.unwrap(problem) instanceof TopicExistsException) {
                        answer.complete(new Topic(false, settings.partitions()));
                    } else {
                        answer.completeExceptionally(problem);
                    }
                });
    }

    /** Looks up the topic's id. Fails with {@link UnknownTopicOrPartitionException} if there is no such topic. */
    CompletionStage<String> topicId() {
        return topicId(LOOKUP_TIMEOUT_MILLIS);
    }

    private CompletionStage<String> topicId(int timeoutMillis) {
        return topic(timeoutMillis).thenApply(found -> found.topicId().toString());
    }

    private CompletionStage<TopicDescription> topic(int timeoutMillis) {
        return admin.describeTopics(List.of(settings.topic()), new DescribeTopicsOptions().timeoutMs(timeoutMillis))
                .allTopicNames()
                .toCompletionStage()
                .thenApply(topics -> topics.values().iterator().next());
    }

    /** Looks up the topic's id and partitions, and their ends on request. A partition without a leader has no end. */
    CompletionStage<LogEnds> lookUp(boolean withEnds) {
        return topic(LOOKUP_TIMEOUT_MILLIS).thenCompose(found -> {
            String id = found.topicId().toString();
            int count = found.partitions().size();
            return withEnds
                    ? ends(count).thenApply(ends -> new LogEnds(id, count, ends))
                    : CompletableFuture.completedFuture(new LogEnds(id, count, List.of()));
        });
    }

    private CompletionStage<List<Long>> ends(int count) {
        Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            latest.put(new TopicPartition(settings.topic(), i), OffsetSpec.latest());
        }
        ListOffsetsResult found = admin.listOffsets(latest, new ListOffsetsOptions().timeoutMs(LOOKUP_TIMEOUT_MILLIS));
        List<CompletableFuture<Long>> ends = latest.keySet().stream()
                .map(each -> offset(found, each)
                        .exceptionally(unknown -> Source.Facts.NO_OFFSET)
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .thenApply(all -> ends.stream().map(CompletableFuture::join).toList());
    }

    /** Looks up how many members the consumer group has. */
    CompletionStage<Integer> groupMembers() {
        String group = settings.groupId();
        return admin.describeConsumerGroups(List.of(group))
                .describedGroups()
                .get(group)
                .toCompletionStage()
                .thenApply(description -> description.members().size());
    }

    /** Removes a member from the group, so that the others have its partitions at once. */
    CompletionStage<Void> removeMember(String memberId) {
        RemoveMembersFromConsumerGroupOptions options =
                new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove(memberId)));
        options.reason("its process is gone");
        return admin.removeMembersFromConsumerGroup(settings.groupId(), options)
                .all()
                .toCompletionStage();
    }

    /** Looks up the offsets of each partition. A partition without a leader delays only its own answer. */
    Map<TopicPartition, CompletionStage<PartitionOffsets>> offsets(Collection<TopicPartition> partitions) {
        ListConsumerGroupOffsetsSpec ours = new ListConsumerGroupOffsetsSpec().topicPartitions(partitions);
        CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed = admin.listConsumerGroupOffsets(
                        Map.of(settings.groupId(), ours), new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata(settings.groupId())
                .toCompletionStage();
        Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(each -> {
            earliest.put(each, OffsetSpec.earliest());
            latest.put(each, OffsetSpec.latest());
        });
        ListOffsetsResult logStarts = admin.listOffsets(earliest);
        ListOffsetsResult logEnds = admin.listOffsets(latest);
        CompletionStage<String> topicId = topicId();

        Map<TopicPartition, CompletionStage<PartitionOffsets>> answers = new HashMap<>();
        for (TopicPartition each : partitions) {
            CompletionStage<Long> logStart = offset(logStarts, each);
            CompletionStage<Long> logEnd = offset(logEnds, each);
            answers.put(
                    each,
                    topicId.thenCombine(
                                    committed,
                                    (id, offsets) -> new TopicAndCommit(id, Optional.ofNullable(offsets.get(each))))
                            .thenCombine(logStart.thenCombine(logEnd, Log::new), TopicAndCommit::withLog));
        }
        return answers;
    }

    private static CompletionStage<Long> offset(ListOffsetsResult found, TopicPartition of) {
        return found.partitionResult(of).toCompletionStage().thenApply(ListOffsetsResult.ListOffsetsResultInfo::offset);
    }

    private record Log(long start, long end) {}

    private record TopicAndCommit(String topicId, Optional<OffsetAndMetadata> commit) {
        PartitionOffsets withLog(Log log) {
            return new PartitionOffsets(
                    topicId,
                    commit.map(OffsetAndMetadata::offset).orElse(-1L),
                    commit.map(OffsetAndMetadata::metadata).orElse(""),
                    log.start,
                    log.end,
                    commit.flatMap(OffsetAndMetadata::leaderEpoch));
        }
    }

    /** Looks up how long the topic keeps a record, in milliseconds; {@link Long#MAX_VALUE} if for ever. */
    CompletionStage<Long> retentionMillis() {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, settings.topic());
        return admin.describeConfigs(List.of(topic))
                .all()
                .toCompletionStage()
                .thenApply(configs -> retentionMillis(configs.get(topic)));
    }

    private static long retentionMillis(Config config) {
        String policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
        long millis = Long.parseLong(config.get(TopicConfig.RETENTION_MS_CONFIG).value());
        return millis < 0 || !policy.contains(TopicConfig.CLEANUP_POLICY_DELETE) ? Long.MAX_VALUE : millis;
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
