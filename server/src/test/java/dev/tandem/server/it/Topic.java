package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import dev.tandem.testkit.SharedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
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
final class Topic implements AutoCloseable {

    /** Ample: a loaded machine must not fail a test. */
    static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));

    private static final Duration LOOK = Duration.ofMillis(100);

    private final SharedKafka kafka = Brokers.kafka();
    private final String redis;
    private final String name;
    private final int partitions;
    private final Path folder;
    private final KafkaProducer<String, byte[]> producer;
    private final Map<Path, Long> journals = new LinkedHashMap<>();
    private final Set<String> expected = new TreeSet<>();
    private final Queue<Exception> unsent = new ConcurrentLinkedQueue<>();

    Topic(String prefix, int partitions) {
        this(prefix, partitions, Brokers.redis().uri());
    }

    Topic(String prefix, int partitions, String redis) {
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
        try {
            // Where the brokers' logs are: they stay for who looks into a failed test.
            Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
            this.folder = Files.createTempDirectory(logs, prefix + "-").toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return name;
    }

    // ---- workers

    /** Options of a new worker of this queue, with a journal of its own: failed tasks again in 1 s, 4 attempts. */
    Worker.Options worker() {
        Path journal = folder.resolve(Names.fresh("journal"));
        journals.put(journal, History.RUNNING);
        return new Worker.Options(kafka.bootstrapServers(), redis, name, journal, 1_000, 4, 10_000);
    }

    Child child() {
        return child(worker());
    }

    Child child(Worker.Options options) {
        return new Child(options, dead -> journals.put(dead.journal(), System.nanoTime()));
    }

    /** What one worker noted. */
    List<History.Run> runsOf(Child worker) {
        Path journal = worker.options().journal();
        return History.read(Map.of(journal, journals.get(journal))).runs();
    }

    /** Until the group has so many members, and every partition has one. */
    void awaitWorkers(int count) {
        await(count + " members of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .ignoreException(ExecutionException.class)
                .until(() -> {
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

    History history() {
        return History.read(journals);
    }

    // ---- publishing

    /** Publishes a task that is expected to succeed in the end. */
    void send(String key, int number, String what, Header... headers) {
        String id = key + "-" + number;
        expected.add(id);
        send(key, Behaviour.payload(id, what), headers);
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
    private void flush() {
        producer.flush();
        assertThat(unsent).as("what could not be published").isEmpty();
    }

    static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** All that is expected to succeed. */
    Set<String> expected() {
        return expected;
    }

    // ---- seeing

    /** Until all that was published by {@link #send(String, int, String, Header...)} has succeeded. */
    void awaitAllSucceeded() {
        flush();
        await("all of " + expected.size() + " tasks of " + name)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> {
                    Set<String> missing = new TreeSet<>(expected);
                    missing.removeAll(history().succeeded());
                    assertThat(missing).as("tasks that have not succeeded").isEmpty();
                });
    }

    void awaitStarted(String id) {
        flush();
        await("start of " + id)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .until(() -> !history().runsOf(id).isEmpty());
    }

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
