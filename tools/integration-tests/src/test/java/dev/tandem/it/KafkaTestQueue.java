package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedKafka;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
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

/** A fresh topic and the queue of the same name, with a plain producer. */
final class KafkaTestQueue extends TestQueue {

    private final SharedKafka kafka = Brokers.kafka();
    private final String redis;
    private final String name;
    private int partitions;
    private KafkaProducer<String, byte[]> producer;
    private final List<KafkaProducer<String, byte[]>> producers = new ArrayList<>();
    private final Queue<Exception> unsent = new ConcurrentLinkedQueue<>();

    KafkaTestQueue(String prefix, int partitions) {
        this(prefix, partitions, Brokers.redis().uri());
    }

    KafkaTestQueue(String prefix, int partitions, String redis) {
        super(prefix);
        this.redis = redis;
        this.name = kafka.topic(prefix, partitions);
        this.partitions = partitions;
        this.producer = newProducer();
    }

    private KafkaProducer<String, byte[]> newProducer() {
        KafkaProducer<String, byte[]> created = new KafkaProducer<>(
                // One request at a time: right after a topic was created, a broker may reject one batch and accept the
                // next, which puts them out of order.
                Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "linger.ms",
                        "5",
                        "max.in.flight.requests.per.connection",
                        "1"),
                new StringSerializer(),
                new ByteArraySerializer());
        producers.add(created);
        return created;
    }

    /** Gives the topic more partitions, which the {@link #producer} does not know of. */
    void grow(int count) throws ExecutionException, InterruptedException {
        flush();
        kafka.admin()
                .createPartitions(Map.of(name, NewPartitions.increaseTo(count)))
                .all()
                .get();
        partitions = count;
    }

    /** Publishes with a new producer from now on, once it knows all partitions. */
    void learnPartitions() {
        flush();
        await("a producer that knows the partitions").atMost(PATIENCE).until(() -> {
            producer = newProducer();
            return producer.partitionsFor(name).size() == partitions;
        });
    }

    @Override
    String name() {
        return name;
    }

    // ---- workers

    @Override
    TestWorker.Options worker() {
        return new TestWorker.Options(
                kafka.bootstrapServers(), redis, name, true, newJournal(), 1_000, 4, 10_000, TestWorker.HORIZON_MILLIS);
    }

    /** Waits until the group has this many members, and each of them has partitions. */
    void awaitWorkers(int count) {
        await(count + " members of " + name)
                .atMost(PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .ignoreException(ExecutionException.class)
                .until(() -> {
                    requireProcessesAlive();
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

    @Override
    void awaitReady() {
        // The topic is there from the beginning.
    }

    @Override
    void publish(@Nullable String key, byte @Nullable [] payload, Map<String, String> headers) {
        send(
                key,
                payload,
                headers.entrySet().stream()
                        .map(each -> header(each.getKey(), each.getValue()))
                        .toArray(Header[]::new));
    }

    @Override
    int partitions() {
        return partitions;
    }

    /** Publishes a task that is expected to succeed. */
    void send(String key, int number, String action, Header... headers) {
        String id = key + "-" + number;
        expect(id);
        send(key, ScriptedHandler.payload(id, action), headers);
    }

    /** Publishes a task whose success is not awaited. */
    void send(@Nullable String key, byte @Nullable [] payload, Header... headers) {
        producer.send(new ProducerRecord<>(name, null, key, payload, List.of(headers)), (place, failure) -> {
            if (failure != null) {
                unsent.add(failure);
            }
        });
    }

    @Override
    void flush() {
        producer.flush();
        assertThat(unsent).as("failures to publish").isEmpty();
    }

    static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    // ---- observing

    @Override
    void awaitAllSettled() {
        awaitAllCommitted();
    }

    /** Waits until the group has committed all records of the topic. */
    void awaitAllCommitted() {
        flush();
        await("commits of " + name)
                .atMost(PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .untilAsserted(() -> assertThat(committed()).isEqualTo(ends()));
    }

    /** Waits until Redis has recorded that the task at an offset is settled, or the group has committed it. */
    void awaitRecorded(int partition, int offset) {
        byte[] settled = ("tandem:{" + name + "/" + partition + "}:settled").getBytes(StandardCharsets.UTF_8);
        byte[] block = Integer.toString(offset / 512).getBytes(StandardCharsets.UTF_8);
        try (StatefulRedisConnection<byte[], byte[]> connection =
                Brokers.redis().client().connect(ByteArrayCodec.INSTANCE)) {
            await("the record of " + partition + ":" + offset + " of " + name)
                    .atMost(PATIENCE)
                    .pollInterval(POLL_INTERVAL)
                    .until(() -> committed().getOrDefault(partition, 0L) > offset
                            || hasBit(connection.sync().hget(settled, block), offset % 512));
        }
    }

    /** Returns whether a bit is set, as {@code settled_bits.lua} counts them. */
    private static boolean hasBit(byte @Nullable [] bits, int number) {
        return bits != null && number / 8 < bits.length && (bits[number / 8] & (0x80 >> number % 8)) != 0;
    }

    /** Returns the committed offsets above 0 by partition. */
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

    /** Returns the end offsets above 0 by partition. */
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
        producers.forEach(each -> each.close(Duration.ofSeconds(5)));
    }
}
