package dev.tandem.kafka;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The settings by which one queue reads its Kafka topic.
 *
 * @param bootstrapServers {@code host:port}; several are separated by commas
 * @param queue the logical queue
 * @param topic the topic; by default the queue's name
 * @param groupId the consumer group that all processes of this queue share; by default {@code tandem.<queue>}
 * @param partitions the number of partitions if the topic is missing and must be created, with the broker's default
 *     replication; by default {@value #DEFAULT_PARTITIONS}. 0 for the broker's default number
 * @param maxPayload the longest readable payload in bytes
 * @param properties further properties of Kafka's clients (security, fetch sizes, …); those that the platform's
 *     guarantees depend on are refused
 * @param memberId the id of this process in the group, by which others may remove it when it is dead: unique for each
 *     process start. "" for none
 * @param ordered whether tasks of one key run in order, so that it matters in which partition a key's records lie
 * @param growthWindow for how long after the topic got more partitions publishers may use the earlier count; by default
 *     {@link #DEFAULT_GROWTH_WINDOW}. 0: tasks of a key do not wait for those in its earlier partition
 */
public record KafkaSettings(
        String bootstrapServers,
        String queue,
        String topic,
        String groupId,
        int partitions,
        int maxPayload,
        Map<String, String> properties,
        String memberId,
        boolean ordered,
        Duration growthWindow) {

    /** The number of partitions of a topic that must be created: 16, in a server as in a program with this library. */
    public static final int DEFAULT_PARTITIONS = 16;

    /** Somewhat more than the age of the metadata of Kafka's clients, which is 5 min by default. */
    public static final Duration DEFAULT_GROWTH_WINDOW = Duration.ofMinutes(6);

    private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}");
    private static final int MAX_PARTITIONS = 100_000;

    /** @throws IllegalArgumentException naming the setting, its value and what is allowed */
    public KafkaSettings {
        ClientProperties.checkServers(bootstrapServers);
        check(Partition.isName(queue), "queue", queue, "1 to 200 letters, digits, dots, underscores or hyphens");
        check(TOPIC.matcher(topic).matches(), "topic", topic, "1 to 249 letters, digits, dots, underscores or hyphens");
        check(!groupId.isBlank(), "group-id", groupId, "a name, or leave it out");
        check(
                partitions >= 0 && partitions <= MAX_PARTITIONS,
                "partitions",
                partitions,
                "1 to " + MAX_PARTITIONS + ", or 0 for the broker's default");
        check(maxPayload > 0, "max-payload", maxPayload, "1 byte or more");
        check(
                memberId.isEmpty() || TOPIC.matcher(memberId).matches(),
                "member-id",
                memberId,
                "1 to 249 letters, digits, dots, underscores or hyphens");
        check(
                !growthWindow.isNegative() && growthWindow.compareTo(Duration.ofDays(1)) <= 0,
                "growth-window",
                growthWindow,
                "0 (tasks do not wait for those in earlier partitions) to 1 day");
        properties = Map.copyOf(properties);
        ClientProperties.check(properties);
    }

    /** Returns settings with every default. The topic is named like the queue. */
    public static KafkaSettings of(String bootstrapServers, String queue) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                queue,
                "tandem." + queue,
                DEFAULT_PARTITIONS,
                TaskHeaders.DEFAULT_MAX_PAYLOAD,
                Map.of(),
                "",
                true,
                DEFAULT_GROWTH_WINDOW);
    }

    /** Returns within what time consumers with these properties notice that a topic got more partitions. */
    public static Duration metadataAge(Map<String, String> properties) {
        return Duration.ofMillis(ClientProperties.metadataAgeMillis(properties));
    }

    public KafkaSettings withTopic(String name) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                name,
                groupId,
                partitions,
                maxPayload,
                properties,
                memberId,
                ordered,
                growthWindow);
    }

    public KafkaSettings withGroupId(String id) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                topic,
                id,
                partitions,
                maxPayload,
                properties,
                memberId,
                ordered,
                growthWindow);
    }

    public KafkaSettings withPartitions(int count) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                topic,
                groupId,
                count,
                maxPayload,
                properties,
                memberId,
                ordered,
                growthWindow);
    }

    public KafkaSettings withMaxPayload(int bytes) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                topic,
                groupId,
                partitions,
                bytes,
                properties,
                memberId,
                ordered,
                growthWindow);
    }

    public KafkaSettings withProperties(Map<String, String> further) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                topic,
                groupId,
                partitions,
                maxPayload,
                further,
                memberId,
                ordered,
                growthWindow);
    }

    public KafkaSettings withMemberId(String id) {
        return new KafkaSettings(
                bootstrapServers, queue, topic, groupId, partitions, maxPayload, properties, id, ordered, growthWindow);
    }

    /** Sets whether tasks of one key run in order. Default: true. */
    public KafkaSettings withOrdered(boolean value) {
        return new KafkaSettings(
                bootstrapServers,
                queue,
                topic,
                groupId,
                partitions,
                maxPayload,
                properties,
                memberId,
                value,
                growthWindow);
    }

    /** Sets for how long publishers may use an earlier count of partitions. 0: nobody waits for an earlier partition. */
    public KafkaSettings withGrowthWindow(Duration value) {
        return new KafkaSettings(
                bootstrapServers, queue, topic, groupId, partitions, maxPayload, properties, memberId, ordered, value);
    }

    private static void check(boolean valid, String name, Object value, String use) {
        if (!valid) {
            throw new IllegalArgumentException("The Kafka setting '" + name + "' is '" + value + "': use " + use);
        }
    }

    /** Leaves out the properties, which may contain secrets. */
    @Override
    public String toString() {
        return "KafkaSettings[" + bootstrapServers + " queue=" + queue + " topic=" + topic + " group=" + groupId + "]";
    }
}
