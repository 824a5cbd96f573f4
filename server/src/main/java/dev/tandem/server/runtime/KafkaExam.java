package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.doctor.KafkaFacts;
import dev.tandem.task.FailureText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Looks at Kafka and the topics of queues. Seldom, so each exam has a client of its own. Changes nothing. */
final class KafkaExam {

    private static final long TIMEOUT_MILLIS = 5_000;

    private final TandemSettings settings;

    KafkaExam(TandemSettings settings) {
        this.settings = settings;
    }

    /** An answer, or why there is none. */
    private record Answer<T>(@Nullable T value, @Nullable Throwable failure) {}

    /** Returns the facts, whatever fails. */
    KafkaFacts facts() {
        try (Admin admin = KafkaBacklog.admin(settings.kafka(), TIMEOUT_MILLIS)) {
            Answer<Integer> brokers = wait(admin.describeCluster().nodes().thenApply(Collection::size));
            if (brokers.value() == null) {
                return new KafkaFacts(why(brokers.failure()), 0, "", List.of());
            }
            return new KafkaFacts(null, brokers.value(), version(admin), topics(admin));
        } catch (KafkaException e) {
            return new KafkaFacts(FailureText.of(e), 0, "", List.of());
        }
    }

    private static String version(Admin admin) {
        Answer<String> level = wait(admin.describeFeatures().featureMetadata().thenApply(features -> {
            FinalizedVersionRange range = features.finalizedFeatures().get("metadata.version");
            return range == null ? "" : "metadata.version " + range.maxVersionLevel();
        }));
        return level.value() == null ? "" : level.value();
    }

    private List<KafkaFacts.Topic> topics(Admin admin) {
        Map<String, QueueSettings> queues = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            if (queue.effectiveSource() == SourceType.KAFKA) {
                queues.put(name, queue);
            }
        });
        Set<String> names = queues.entrySet().stream()
                .map(each -> each.getValue().effectiveTopic(each.getKey()))
                .collect(Collectors.toSet());
        Set<String> groups = queues.entrySet().stream()
                .map(each -> each.getValue().effectiveGroup(each.getKey()))
                .collect(Collectors.toSet());
        Map<String, KafkaFuture<TopicDescription>> described = admin.describeTopics(
                        names, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues();
        Map<ConfigResource, KafkaFuture<Config>> configs = admin.describeConfigs(names.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList())
                .values();
        Map<String, KafkaFuture<ConsumerGroupDescription>> members = admin.describeConsumerGroups(
                        groups, new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true))
                .describedGroups();
        List<KafkaFacts.Topic> topics = new ArrayList<>();
        queues.forEach((name, queue) -> {
            String topic = queue.effectiveTopic(name);
            String group = queue.effectiveGroup(name);
            topics.add(topic(
                    name,
                    topic,
                    group,
                    wait(described.get(topic)),
                    wait(configs.get(new ConfigResource(ConfigResource.Type.TOPIC, topic))),
                    wait(members.get(group))));
        });
        return topics;
    }

    private static KafkaFacts.Topic topic(
            String queue,
            String topic,
            String group,
            Answer<TopicDescription> described,
            Answer<Config> config,
            Answer<ConsumerGroupDescription> members) {
        TopicDescription found = described.value();
        if (found == null) {
            return described.failure() instanceof UnknownTopicOrPartitionException
                    ? new KafkaFacts.Missing(queue, topic)
                    : new KafkaFacts.Unknown(queue, topic, why(described.failure()));
        }
        List<TopicPartitionInfo> partitions = found.partitions();
        return new KafkaFacts.Known(
                queue,
                topic,
                group,
                partitions.size(),
                partitions.stream()
                        .mapToInt(each -> each.replicas().size())
                        .min()
                        .orElse(0),
                partitions.stream().mapToInt(each -> each.isr().size()).min().orElse(0),
                partitions.stream()
                        .filter(each -> each.leader() == null || each.leader().isEmpty())
                        .map(TopicPartitionInfo::partition)
                        .toList(),
                values(config.value()),
                names(found.authorizedOperations()),
                // A group that nobody has joined yet is not known.
                members.value() == null ? null : names(members.value().authorizedOperations()));
    }

    private static Map<String, String> values(@Nullable Config config) {
        Map<String, String> values = new HashMap<>();
        if (config != null) {
            for (ConfigEntry entry : config.entries()) {
                if (entry.value() != null && !entry.isSensitive()) {
                    values.put(entry.name(), entry.value());
                }
            }
        }
        return values;
    }

    private static @Nullable Set<String> names(@Nullable Set<AclOperation> operations) {
        return operations == null || operations.isEmpty()
                ? null
                : operations.stream().map(AclOperation::name).collect(Collectors.toSet());
    }

    private static <T> Answer<T> wait(@Nullable KafkaFuture<T> answer) {
        if (answer == null) {
            return new Answer<>(null, null);
        }
        try {
            return new Answer<>(answer.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS), null);
        } catch (ExecutionException e) {
            return new Answer<>(null, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException | KafkaException e) {
            return new Answer<>(null, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer<>(null, e);
        }
    }

    private static String why(@Nullable Throwable failure) {
        return failure == null || failure instanceof TimeoutException ? "no answer in time" : FailureText.of(failure);
    }
}
