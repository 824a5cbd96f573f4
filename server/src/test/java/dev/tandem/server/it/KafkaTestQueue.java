package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** A fresh topic with its queue of the same name: a plain producer on one side, what workers noted on the other. */
final class KafkaTestQueue extends TestQueue {

    private final SharedKafka kafka = Brokers.kafka();
    private final String redis;
    private final String name;
    private final int partitions;
    private final KafkaProducer<String, byte[]> producer;
    private final Queue<Exception> unsent = new ConcurrentLinkedQueue<>();

    KafkaTestQueue(String prefix, int partitions) {
        this(prefix, partitions, Brokers.redis().uri());
    }

    KafkaTestQueue(String prefix, int partitions, String redis) {
        super(prefix);
        this.redis = redis;
        this.name = kafka.topic(prefix, partitions);
        this.partitions = partitions;
        this.producer = new KafkaProducer<>(
                // One request at a time: a broker that has just learnt of a topic may refuse a first batch and take the
                // second, and then the first is out of order for good.
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "linger.ms",
                        "5",
                        "max.in.flight.requests.per.connection",
                        "1"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    @Override
    String name() {
        return name;
    }

    // ---- workers

    @Override
    TestWorker.Options worker() {
        return new TestWorker.Options(kafka.bootstrapServers(), redis, name, true, journal(), 1_000, 4, 10_000);
    }

    /** Until the group has so many members, and every partition has one. */
    void awaitWorkers(int count) {
        await(count + " members of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .ignoreException(ExecutionException.class)
                .until(() -> {
                    requireChildrenAlive();
                    Collection<MemberDescription> members = kafka.admin()
                            .describeConsumerGroups(List.of("tandem." + name))
                            .all()
                            .get()
                            .get("tandem." + name)
                            .members();
                    int assigned = members.stream()
                            .mapToInt(member ->
                                    member.assignment().topicPartitions().size())
                            .sum();
                    boolean allWork = members.stream()
                            .noneMatch(member ->
                                    member.assignment().topicPartitions().isEmpty());
                    return members.size() == count && assigned == partitions && allWork;
                });
    }

    // ---- publishing

    /** Publishes a task that is expected to succeed in the end. */
    void send(String key, int number, String what, Header... headers) {
        String id = key + "-" + number;
        expect(id);
        send(key, ScriptedHandler.payload(id, what), headers);
    }

    /** Publishes a task from which nothing is expected. */
    void send(@Nullable String key, byte @Nullable [] payload, Header... headers) {
        producer.send(new ProducerRecord<>(name, null, key, payload, List.of(headers)), (place, failure) -> {
            if (failure != null) {
                unsent.add(failure);
            }
        });
    }

    /** What the broker did not take was never a task. */
    @Override
    void flush() {
        producer.flush();
        assertThat(unsent).as("what could not be published").isEmpty();
    }

    static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    // ---- seeing

    /** Until the group has committed all that is in the topic. */
    void awaitAllCommitted() {
        flush();
        await("commits of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> assertThat(committed()).isEqualTo(ends()));
    }

    /** Committed offset by partition, for those that have one above 0. */
    Map<Integer, Long> committed() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> offsets = kafka.admin()
                .listConsumerGroupOffsets("tandem." + name)
                .partitionsToOffsetAndMetadata()
                .get();
        Map<Integer, Long> committed = new HashMap<>();
        offsets.forEach((partition, offset) -> {
            if (offset.offset() > 0) {
                committed.put(partition.partition(), offset.offset());
            }
        });
        return committed;
    }

    /** End offset by partition, for those that have records. */
    Map<Integer, Long> ends() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        Map<Integer, Long> ends = new HashMap<>();
        kafka.admin().listOffsets(asked).all().get().forEach((partition, end) -> {
            if (end.offset() > 0) {
                ends.put(partition.partition(), end.offset());
            }
        });
        return ends;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
