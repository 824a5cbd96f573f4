package dev.tandem.benchmarks;

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

/** A topic of the benchmark's own, and the client that looks after it. */
final class KafkaTopic implements AutoCloseable {

    static final int PAYLOAD = 200;

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String bootstrap;
    private final String name;
    private final Admin admin;

    /** Creates it. */
    KafkaTopic(String bootstrap, String name, int partitions) throws Exception {
        this.bootstrap = bootstrap;
        this.name = name;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get();
    }

    String name() {
        return name;
    }

    String bootstrap() {
        return bootstrap;
    }

    /** @param lingerMillis how long it collects records: more is faster and later */
    KafkaProducer<String, byte[]> producer(int lingerMillis) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "linger.ms", Integer.toString(lingerMillis),
                "batch.size", "131072",
                "acks", "all",
                // A broker that does not know the new topic yet may refuse a first batch and take the next one.
                "max.in.flight.requests.per.connection", "1"));
        return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
    }

    /** Puts so many tasks into it, always the same ones. */
    void fill(Keys keys, int tasks) {
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
            throw new IllegalStateException("Not all tasks could be published to " + name, failure);
        }
    }

    /** What a group has committed, by partition. */
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

    /** Waits until a group has committed so many records in all. */
    void awaitCommitted(String group, long tasks, Lab lab) throws Exception {
        long[] last = new long[1];
        Patience.await(
                PATIENCE,
                () -> {
                    last[0] = committed(group).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
                    lab.progress("%,d of %,d committed", last[0], tasks);
                    return last[0] >= tasks;
                },
                () -> "Only " + last[0] + " of " + tasks + " records of " + name + " were committed");
    }

    /** Waits until a group has so many members that share all partitions. */
    void awaitMembers(String group, int count, int partitions) throws Exception {
        Patience.await(
                PATIENCE,
                () -> {
                    Collection<MemberDescription> members = members(group);
                    List<Integer> shares = members.stream()
                            .map(member -> member.assignment().topicPartitions().size())
                            .toList();
                    int assigned = shares.stream().mapToInt(Integer::intValue).sum();
                    return members.size() == count && !shares.contains(0) && assigned == partitions;
                },
                () -> "The group " + group + " did not get " + count + " members");
    }

    private Collection<MemberDescription> members(String group) throws InterruptedException {
        try {
            Map<String, ConsumerGroupDescription> groups =
                    admin.describeConsumerGroups(List.of(group)).all().get();
            ConsumerGroupDescription found = groups.get(group);
            return found == null ? List.of() : found.members();
        } catch (ExecutionException e) {
            return List.of(); // not there yet
        }
    }

    /** The group of a queue of Tandem's that has its default. */
    static String group(String queue) {
        return "tandem." + queue;
    }

    /** Deletes the topic, so that the disk stays free. */
    @Override
    public void close() {
        admin.deleteTopics(List.of(name));
        admin.close();
    }
}
