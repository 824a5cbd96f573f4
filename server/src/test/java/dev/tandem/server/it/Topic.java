package dev.tandem.server.it;

import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import dev.tandem.testkit.SharedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A fresh topic with its queue of the same name: a plain producer on one side, journals and brokers on the other. */
final class Topic implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final SharedKafka kafka = Brokers.kafka();
    private final String redis;
    private final String name;
    private final int partitions;
    private final Path folder;
    private final KafkaProducer<String, byte[]> producer;
    private final List<Path> journals = new ArrayList<>();
    private final Map<Long, Long> killed = new HashMap<>();
    private final TreeSet<String> sent = new TreeSet<>();

    Topic(String prefix, int partitions) {
        this(prefix, partitions, Brokers.redis().uri());
    }

    Topic(String prefix, int partitions, String redis) {
        this.redis = redis;
        this.name = kafka.topic(prefix, partitions);
        this.partitions = partitions;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "linger.ms", "5"),
                new StringSerializer(),
                new ByteArraySerializer());
        try {
            this.folder = Files.createTempDirectory("tandem-it-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return name;
    }

    /** Where a new worker of this queue finds everything, with a journal of its own. */
    Worker.Place place() {
        Path journal = folder.resolve(Names.fresh("journal"));
        journals.add(journal);
        return new Worker.Place(kafka.bootstrapServers(), redis, name, journal);
    }

    /** Publishes a task that is expected to succeed in the end. */
    void send(String key, int number, String what, Header... headers) {
        String id = key + "-" + number;
        sent.add(id);
        sendRaw(key, Behaviour.payload(id, what), headers);
    }

    void sendRaw(String key, byte[] payload, Header... headers) {
        producer.send(new ProducerRecord<>(name, null, key, payload, List.of(headers)));
    }

    /** Everything sent is acknowledged. */
    void flush() {
        producer.flush();
    }

    /** All that was expected to succeed. */
    TreeSet<String> sent() {
        return sent;
    }

    /** A worker's process is dead since now at the latest. */
    void killed(long pid) {
        killed.put(pid, System.nanoTime());
    }

    History history() {
        return History.read(journals, killed);
    }

    void awaitAllSucceeded() {
        producer.flush();
        await("all of " + sent.size() + " tasks of " + name)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> history().succeeded().containsAll(sent));
    }

    /** The group has committed all that is in the topic. */
    void awaitAllCommitted() {
        await("commits of " + name)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() ->
                        org.assertj.core.api.Assertions.assertThat(committed()).isEqualTo(ends()));
    }

    /** Committed offset by partition, for those that have one above 0. */
    Map<Integer, Long> committed() throws Exception {
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
    Map<Integer, Long> ends() throws Exception {
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
