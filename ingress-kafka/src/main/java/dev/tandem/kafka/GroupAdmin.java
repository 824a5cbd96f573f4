package dev.tandem.kafka;

import dev.tandem.kafka.Start.Found;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What must be asked of the brokers beside the consumer's own traffic. Nothing blocks; answers come on its thread. */
final class GroupAdmin implements AutoCloseable {

    private static final int START_TIMEOUT_MILLIS = 4_000;
    private static final int TIMEOUT_MILLIS = 10_000;

    private final KafkaSettings settings;
    private final Admin admin;

    /** @throws org.apache.kafka.common.KafkaException if no server's name can be resolved */
    GroupAdmin(KafkaSettings settings) {
        this.settings = settings;
        this.admin = Admin.create(ClientProperties.admin(settings.bootstrapServers(), settings.properties()));
    }

    /** Creates the topic where it is missing. Answers whether it did; soon, since people wait for it. */
    CompletionStage<Boolean> ensureTopic() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        topicId(START_TIMEOUT_MILLIS).whenComplete((id, problem) -> {
            if (problem == null) {
                answer.complete(false);
            } else if (cause(problem) instanceof UnknownTopicOrPartitionException) {
                create(answer);
            } else {
                answer.completeExceptionally(problem);
            }
        });
        return answer;
    }

    private void create(CompletableFuture<Boolean> answer) {
        Optional<Integer> partitions =
                settings.partitions() == 0 ? Optional.empty() : Optional.of(settings.partitions());
        admin.createTopics(List.of(new NewTopic(settings.topic(), partitions, Optional.empty())))
                .all()
                .toCompletionStage()
                .whenComplete((nothing, problem) -> {
                    if (problem == null) {
                        answer.complete(true);
                    } else if (cause(problem) instanceof TopicExistsException) {
                        answer.complete(false);
                    } else {
                        answer.completeExceptionally(problem);
                    }
                });
    }

    /** The topic's id; fails with {@link UnknownTopicOrPartitionException} where there is none. */
    CompletionStage<String> topicId() {
        return topicId(TIMEOUT_MILLIS);
    }

    private CompletionStage<String> topicId(int timeoutMillis) {
        return admin.describeTopics(List.of(settings.topic()), new DescribeTopicsOptions().timeoutMs(timeoutMillis))
                .allTopicNames()
                .toCompletionStage()
                .thenApply(found -> found.values().iterator().next().topicId().toString());
    }

    /** Each partition's facts, for itself: one without a leader holds up no other. */
    Map<TopicPartition, CompletionStage<Found>> find(Collection<TopicPartition> partitions) {
        ListConsumerGroupOffsetsSpec ours = new ListConsumerGroupOffsetsSpec().topicPartitions(partitions);
        CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed = admin.listConsumerGroupOffsets(
                        Map.of(settings.groupId(), ours), new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata(settings.groupId())
                .toCompletionStage();
        Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
        partitions.forEach(each -> earliest.put(each, OffsetSpec.earliest()));
        ListOffsetsResult starts = admin.listOffsets(earliest);
        CompletionStage<String> topicId = topicId();

        Map<TopicPartition, CompletionStage<Found>> found = new HashMap<>();
        for (TopicPartition each : partitions) {
            CompletionStage<Long> logStart = starts.partitionResult(each)
                    .toCompletionStage()
                    .thenApply(ListOffsetsResult.ListOffsetsResultInfo::offset);
            found.put(
                    each,
                    topicId.thenCombine(
                                    committed,
                                    (id, offsets) -> new TopicAndOffset(id, Optional.ofNullable(offsets.get(each))))
                            .thenCombine(logStart, TopicAndOffset::found));
        }
        return found;
    }

    private record TopicAndOffset(String topicId, Optional<OffsetAndMetadata> offset) {
        Found found(long logStart) {
            return new Found(
                    topicId,
                    offset.map(OffsetAndMetadata::offset).orElse(-1L),
                    offset.map(OffsetAndMetadata::metadata).orElse(""),
                    logStart);
        }
    }

    /** What an answer failed with, without the wrapping of futures. */
    static Throwable cause(Throwable problem) {
        Throwable at = problem;
        while ((at instanceof CompletionException || at instanceof ExecutionException) && at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
