package dev.tandem.benchmarks;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Scheduled tasks: how late they start, and what they cost Redis while they wait. */
final class Scheduling {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String bootstrap;
    private final String redisUri;

    Scheduling(String bootstrap, String redisUri) {
        this.bootstrap = bootstrap;
        this.redisUri = redisUri;
    }

    /**
     * Publishes at a rate tasks that are due some seconds later, without a key.
     *
     * @return how late their handlers started, in microseconds
     */
    Spread lateness(String topic, int perSecond, Duration howLong) throws Exception {
        int tasks = (int) (perSecond * howLong.toSeconds());
        AtomicLongArray late = new AtomicLongArray(tasks);
        AtomicInteger started = new AtomicInteger();
        try (RedisStore store = RedisStore.open(RedisSettings.of(redisUri))) {
            Executor executor = executor(topic, store, task -> {
                long now = micros();
                int index = started.getAndIncrement();
                if (index < tasks) {
                    late.set(index, now - due(task.headers()));
                }
                return Result.done();
            });
            executor.start();
            try (KafkaProducer<String, byte[]> producer = producer()) {
                long begin = System.nanoTime();
                for (int i = 0; i < tasks; i++) {
                    long at = begin + i * 1_000_000_000L / perSecond;
                    while (System.nanoTime() < at) {
                        LockSupport.parkNanos(100_000);
                    }
                    long due = System.currentTimeMillis() + 3_000 + i % 1_000;
                    ProducerRecord<String, byte[]> message = scheduled(topic, due, new byte[200]);
                    message.headers().add("due", Long.toString(due).getBytes(StandardCharsets.UTF_8));
                    producer.send(message);
                }
                await(started, tasks);
            } finally {
                executor.stop();
            }
        }
        long[] values = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            values[i] = late.get(i);
        }
        return Spread.of(values);
    }

    /** What one task that is due in an hour takes of Redis's own memory count, in bytes. */
    double memory(String topic, int tasks) throws Exception {
        try (RedisStore store = RedisStore.open(RedisSettings.of(redisUri));
                RedisCpu redis = new RedisCpu(redisUri);
                KafkaProducer<String, byte[]> producer = producer()) {
            Executor executor = executor(topic, store, task -> Result.done());
            executor.start();
            try {
                long due = System.currentTimeMillis() + 3_600_000;
                // The first ones bring whatever there is once, not once a task.
                send(producer, topic, due, 1_000);
                KafkaThroughput.awaitCommitted(bootstrap, topic, 1_000, PATIENCE);
                long before = redis.usedMemory();
                send(producer, topic, due, tasks);
                KafkaThroughput.awaitCommitted(bootstrap, topic, 1_000 + tasks, PATIENCE);
                return (redis.usedMemory() - before) / (double) tasks;
            } finally {
                executor.stop();
            }
        }
    }

    private static void send(KafkaProducer<String, byte[]> producer, String topic, long due, int tasks) {
        for (int i = 0; i < tasks; i++) {
            producer.send(scheduled(topic, due + i, new byte[64]));
        }
        producer.flush();
    }

    private static ProducerRecord<String, byte[]> scheduled(String topic, long due, byte[] payload) {
        ProducerRecord<String, byte[]> message = new ProducerRecord<>(topic, payload);
        message.headers().add("tandem-not-before", Long.toString(due).getBytes(StandardCharsets.UTF_8));
        return message;
    }

    private Executor executor(String topic, RedisStore store, dev.tandem.executor.Handler handler) {
        return Executor.builder()
                .concurrency(256)
                .queue(QueueSpec.queue(topic)
                        .source(new KafkaSource(
                                KafkaSettings.of(bootstrap, topic).withPartitions(4)))
                        .store(store)
                        .policy(QueuePolicy.unordered(256))
                        .topic(topic)
                        .fallback(handler)
                        .build())
                .build();
    }

    private KafkaProducer<String, byte[]> producer() {
        Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", bootstrap, "linger.ms", "2", "acks", "all"));
        return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
    }

    private static long due(Map<String, String> headers) {
        return Long.parseLong(java.util.Objects.requireNonNull(headers.get("due"))) * 1_000;
    }

    private static long micros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    private static void await(AtomicInteger started, int tasks) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (started.get() < tasks) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("Only " + started.get() + " of " + tasks + " started");
            }
            Thread.sleep(10);
        }
    }
}
