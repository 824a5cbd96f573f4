package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** A topic of a benchmark, with an admin client. */
final class KafkaTopic implements AutoCloseable {

    static final int PAYLOAD = 200;

    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final String bootstrap;
    private final String name;
    private final int partitions;
    private final Admin admin;

    /** Creates the topic. */
    KafkaTopic(String bootstrap, String name, int partitions) throws Exception {
        this.bootstrap = bootstrap;
        this.name = name;
        this.partitions = partitions;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get();
    }

    String name() {
        return name;
    }

    int partitions() {
        return partitions;
    }

    String bootstrap() {
        return bootstrap;
    }

    /**
     * Creates a producer.
     *
     * @param lingerMillis how long it collects records: a longer time means more throughput and delay
     */
    KafkaProducer<String, byte[]> producer(int lingerMillis) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "linger.ms", Integer.toString(lingerMillis),
                "batch.size", "131072",
                "acks", "all",
                // Keeps the order: a broker that does not know the new topic yet may refuse one batch and accept the
                // next.
                "max.in.flight.requests.per.connection", "1"));
        return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
    }

    /** Publishes this number of tasks, with the same keys in each run. */
    void fill(KeyDistribution keys, int tasks) {
        byte[] payload = new byte[PAYLOAD];
        Random random = new Random(7);
        AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
        try (KafkaProducer<String, byte[]> producer = producer(20)) {
            for (int i = 0; i < tasks; i++) {
                producer.send(new ProducerRecord<>(name, keys.key(random, i), payload), (where, failure) -> {
                    if (failure != null) {
                        failed.set(failure);
                    }
                });
            }
        }
        Exception failure = failed.get();
        if (failure != null) {
            throw new IllegalStateException(
                    "Some tasks could not be published to " + name + ": " + failure.getMessage(), failure);
        }
    }

    /** Returns the committed offsets of a group, by partition. */
    Map<Integer, Long> committed(String group) throws Exception {
        Map<Integer, Long> committed = new HashMap<>();
        for (Map.Entry<TopicPartition, OffsetAndMetadata> each : admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .entrySet()) {
            if (each.getKey().topic().equals(name) && each.getValue() != null) {
                committed.put(each.getKey().partition(), each.getValue().offset());
            }
        }
        return committed;
    }

    /** Waits until a group has committed this number of records in all. */
    void awaitCommitted(String group, long tasks, ScenarioContext context) throws Exception {
        long[] last = new long[1];
        Await.until(
                LIMIT,
                () -> {
                    last[0] = committed(group).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
                    context.progress("%,d of %,d committed", last[0], tasks);
                    return last[0] >= tasks;
                },
                () -> "Only " + last[0] + " of " + tasks + " records of " + name + " were committed");
    }

    /** Waits until a group has this number of members, which share all partitions. */
    void awaitMembers(String group, int count, int partitions) throws Exception {
        Await.until(
                LIMIT,
                () -> {
                    Collection<MemberDescription> members = members(group);
                    List<Integer> shares = members.stream()
                            .map(member -> member.assignment().topicPartitions().size())
                            .toList();
                    int assigned = shares.stream().mapToInt(Integer::intValue).sum();
                    return members.size() == count && !shares.contains(0) && assigned == partitions;
                },
                () -> "The group " + group + " did not have " + count + " members with partitions");
    }

    private Collection<MemberDescription> members(String group) throws InterruptedException {
        try {
            Map<String, ConsumerGroupDescription> groups =
                    admin.describeConsumerGroups(List.of(group)).all().get();
            ConsumerGroupDescription found = groups.get(group);
            return found == null ? List.of() : found.members();
        } catch (ExecutionException e) {
            return List.of(); // the group does not exist yet
        }
    }

    /** Returns the default group of a queue of Tandem. */
    static String group(String queue) {
        return "tandem." + queue;
    }

    /** Deletes the topic, to save disk space. */
    @Override
    public void close() {
        admin.deleteTopics(List.of(name));
        admin.close();
    }
}
