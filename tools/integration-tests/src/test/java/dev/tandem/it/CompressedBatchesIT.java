package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Result;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process with a small heap reads a topic with many partitions, whose batches are a hundred times larger once they are
 * unpacked: they would not fit into the heap, and one poll of as many records as usual would not either.
 */
class CompressedBatchesIT {

    /** Unpacked, their batches take five times the heap. */
    private static final int PARTITIONS = 250;

    private static final int PER_PARTITION = 4;
    private static final int RECORD_BYTES = 1_000_000;
    private static final String HEAP = "192m";
    private static final Pattern PROGRESS = Pattern.compile("succeeded (\\d+), most held (\\d+) of (\\d+)\\n");

    @Test
    void neitherFillTheHeapNorStopTheProcess() throws Exception {
        try (KafkaTestQueue queue = new KafkaTestQueue("batches", PARTITIONS)) {
            publish(queue.name());
            Path log = queue.newJournal();
            LocalProcess process = process(
                    Worker.class,
                    log,
                    List.of(
                            queue.name(),
                            Brokers.kafka().bootstrapServers(),
                            Brokers.redis().uri()));
            try (process) {
                await("all tasks").atMost(TestQueue.PATIENCE.multipliedBy(2)).until(() -> {
                    assertThat(process.isRunning()).as(process::logTail).isTrue();
                    return progress(log, 1) >= PARTITIONS * PER_PARTITION;
                });
            }
            assertThat(progress(log, 2))
                    .as("the most that delivered tasks took, against the budget and the polls of a millisecond")
                    .isLessThanOrEqualTo(progress(log, 3) + 4 * (RECORD_BYTES + 1_000));
        }
    }

    private static void publish(String topic) throws Exception {
        byte[] payload = new byte[RECORD_BYTES];
        byte[] part = new byte[RECORD_BYTES / 100];
        new Random(1).nextBytes(part);
        for (int at = 0; at < RECORD_BYTES; at += part.length) {
            System.arraycopy(part, 0, payload, at, part.length);
        }
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                for (int i = 0; i < PER_PARTITION; i++) {
                    sent.add(producer.send(new ProducerRecord<>(topic, partition, null, payload)));
                }
            }
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
    }

    private static KafkaProducer<byte[], byte[]> producer() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                Brokers.kafka().bootstrapServers(),
                "compression.type",
                "zstd",
                // The broker may refuse the sequence numbers of a batch that was split, because it was too large
                // unpacked.
                "enable.idempotence",
                false,
                "linger.ms",
                "20",
                "batch.size",
                PER_PARTITION * RECORD_BYTES);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Returns a number of the last line that the worker has written; 0 if there is none yet. */
    private static long progress(Path log, int group) throws IOException {
        List<MatchResult> found = Files.exists(log)
                ? PROGRESS.matcher(Files.readString(log)).results().toList()
                : List.of();
        return found.isEmpty() ? 0 : Long.parseLong(found.get(found.size() - 1).group(group));
    }

    /** A part of a record, besides its value, that compression makes small. */
    enum Large {
        KEYS {
            @Override
            ProducerRecord<byte[], byte[]> in(String topic) {
                return new ProducerRecord<>(topic, 0, new byte[RECORD_BYTES], null);
            }
        },
        KEYS_AND_VALUES {
            @Override
            ProducerRecord<byte[], byte[]> in(String topic) {
                return new ProducerRecord<>(topic, 0, new byte[RECORD_BYTES / 2], new byte[RECORD_BYTES / 2]);
            }
        },
        MANY_HEADERS {
            @Override
            ProducerRecord<byte[], byte[]> in(String topic) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, null, new byte[1]);
                for (int i = 0; i < 10_000; i++) {
                    record.headers().add("h", new byte[RECORD_BYTES / 20_000]);
                }
                return record;
            }
        },
        HEADERS_ONLY {
            @Override
            ProducerRecord<byte[], byte[]> in(String topic) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, null, null);
                record.headers().add("h", new byte[RECORD_BYTES]);
                return record;
            }
        };

        abstract ProducerRecord<byte[], byte[]> in(String topic);
    }

    /** All kinds take minutes, so they run on demand. {@code BoundedRecordsTest} has an example of each. */
    @ParameterizedTest
    @EnumSource
    @EnabledIfSystemProperty(named = "kafka.large", matches = "all")
    void keysAndHeadersDoNotFillTheHeapEither(Large large, @TempDir Path folder) throws Exception {
        int records = 600;
        String topic = Brokers.kafka().topic("large", 1);
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (int i = 0; i < records; i++) {
                producer.send(large.in(topic));
            }
        }
        Path log = folder.resolve("log");
        LocalProcess process =
                process(Reader.class, log, List.of(topic, Brokers.kafka().bootstrapServers()));
        try (process) {
            await("all records").atMost(TestQueue.PATIENCE).until(() -> {
                assertThat(process.isRunning()).as(process::logTail).isTrue();
                return Files.exists(log) && Files.readString(log).contains("delivered " + records + "\n");
            });
        }
    }

    private static LocalProcess process(Class<?> main, Path log, List<String> arguments) {
        return LocalProcess.java(
                        "worker",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart(HEAP, "-XX:+ExitOnOutOfMemoryError"),
                        main.getName(),
                        arguments)
                .log(log)
                .disposable()
                .build()
                .start();
    }

    /** Reads a topic and says how many records came. */
    static final class Reader implements Source.Events {

        private final Source source;
        private long delivered;

        private Reader(Source source) {
            this.source = source;
        }

        public static void main(String[] arguments) {
            try (Source source = new KafkaSource(KafkaSettings.of(arguments[1], arguments[0]))) {
                Reader reader = new Reader(source);
                while (true) {
                    source.poll(100, reader);
                }
            }
        }

        @Override
        public void assigned(Partition partition, Source.Facts facts) {
            source.open(partition);
        }

        @Override
        public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
            delivered += deliveries.size();
            System.out.println("delivered " + delivered);
        }

        @Override
        public void committed(Partition partition, long upTo) {}

        @Override
        public void commitFailed(Partition partition, String why) {}

        @Override
        public void confirmed(Partition partition, Source.Facts facts) {}

        @Override
        public void revoked(Collection<Partition> partitions) {}

        @Override
        public void lost(Collection<Partition> partitions) {}
    }

    /** Runs the tasks and says how many have succeeded. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            AtomicInteger succeeded = new AtomicInteger();
            MemoryBudget memory = MemoryBudget.ofHeap();
            Executor executor = Executor.builder()
                    .memory(memory)
                    .queue(QueueSpec.queue(arguments[0])
                            .source(new KafkaSource(KafkaSettings.of(arguments[1], arguments[0]), memory))
                            .store(RedisStore.open(RedisSettings.of(arguments[2])))
                            .policy(QueuePolicy.ordered(8))
                            .defaultType("it")
                            .handler("it", task -> {
                                succeeded.addAndGet(Arrays.equals(task.payload(), new byte[0]) ? 0 : 1);
                                return Result.done();
                            })
                            .build())
                    .build();
            executor.start();
            long most = 0;
            while (true) {
                for (int i = 0; i < 200; i++) {
                    Thread.sleep(1);
                    most = Math.max(most, memory.used());
                }
                System.out.println("succeeded " + succeeded + ", most held " + most + " of " + memory.bytes());
            }
        }
    }
}
