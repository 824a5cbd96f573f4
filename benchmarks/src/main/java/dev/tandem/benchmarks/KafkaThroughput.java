package dev.tandem.benchmarks;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** No-op tasks from a filled Kafka topic to the last commit, beside a bare consumer loop over the same records. */
final class KafkaThroughput {

    private static final int PAYLOAD = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String bootstrap;
    private final String redisUri;
    private final int partitions;

    KafkaThroughput(String bootstrap, String redisUri, int partitions) {
        this.bootstrap = bootstrap;
        this.redisUri = redisUri;
        this.partitions = partitions;
    }

    /** Creates the topic and fills it. */
    void fill(String topic, Keys keys, int tasks) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
        }
        Properties properties = new Properties();
        properties.putAll(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", "20", "batch.size", "131072", "acks", "all"));
        byte[] payload = new byte[PAYLOAD];
        Random random = new Random(7);
        try (KafkaProducer<String, byte[]> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < tasks; i++) {
                producer.send(new ProducerRecord<>(topic, keys.key(random, i), payload));
            }
        }
    }

    /** Poll, handle, commitSync: the least that anyone can do. Returns tasks per second. */
    double bare(String topic, int tasks) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", "bare-" + topic,
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false",
                "max.poll.records", "500"));
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            long handled = 0;
            long start = 0;
            long bytes = 0;
            while (handled < tasks) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(500));
                if (start == 0 && !records.isEmpty()) {
                    start = System.nanoTime();
                }
                for (ConsumerRecord<byte[], byte[]> each : records) {
                    bytes += each.value().length;
                    handled++;
                }
                if (!records.isEmpty()) {
                    consumer.commitSync();
                }
            }
            if (bytes != (long) tasks * PAYLOAD) {
                throw new IllegalStateException("Read " + bytes + " bytes of " + (long) tasks * PAYLOAD);
            }
            return tasks / ((System.nanoTime() - start) / 1e9);
        }
    }

    /** What one run of Tandem came to. @param redisMicros Redis CPU per task */
    record Measured(double perSecond, double redisMicros) {}

    Measured tandem(String topic, int tasks, boolean ordered, int concurrency) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        RedisCpu cpu = new RedisCpu(redisUri);
        try (RedisStore store = RedisStore.open(RedisSettings.of(redisUri))) {
            KafkaSource source = new KafkaSource(KafkaSettings.of(bootstrap, topic));
            Executor executor = Executor.builder()
                    .concurrency(concurrency)
                    .queue(QueueSpec.queue(topic)
                            .source(source)
                            .store(store)
                            .policy(ordered ? QueuePolicy.ordered(concurrency) : QueuePolicy.unordered(concurrency))
                            .topic(topic)
                            .fallback(task -> {
                                started.countDown();
                                handled.increment();
                                return Result.done();
                            })
                            .build())
                    .build();
            executor.start();
            try {
                started.await();
                long start = System.nanoTime();
                double cpuBefore = cpu.micros();
                awaitCommitted(bootstrap, topic, tasks, PATIENCE);
                double seconds = (System.nanoTime() - start) / 1e9;
                double redis = (cpu.micros() - cpuBefore) / tasks;
                if (handled.sum() != tasks) {
                    throw new IllegalStateException("Handled " + handled.sum() + " of " + tasks);
                }
                return new Measured(tasks / seconds, redis);
            } finally {
                executor.stop();
            }
        } finally {
            cpu.close();
        }
    }

    /** Waits until the queue's group has committed so many records in all. */
    static void awaitCommitted(String bootstrap, String topic, long tasks, Duration patience) throws Exception {
        long until = System.nanoTime() + patience.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            while (true) {
                long committed = admin
                        .listConsumerGroupOffsets("tandem." + topic)
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .entrySet()
                        .stream()
                        .filter(e -> e.getKey().topic().equals(topic) && e.getValue() != null)
                        .mapToLong(e -> e.getValue().offset())
                        .sum();
                if (committed >= tasks) {
                    return;
                }
                if (System.nanoTime() > until) {
                    throw new IllegalStateException("Only " + committed + " of " + tasks + " records of " + topic
                            + " were committed after " + patience.toSeconds() + " s");
                }
                Thread.sleep(20);
            }
        }
    }
}
