package dev.tandem.benchmarks;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.kit.Await;
import dev.tandem.kit.Percentiles;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.QueuePolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Lets the task of one key fail and wait an hour for its next attempt, and the task of another key run forever.
 * Measures the waits of the other keys and the commit lag, and compares with the same load without the two.
 */
final class StuckKey implements Scenario {

    private static final int PARTITIONS = 4;
    private static final int KEYS = 200;
    private static final int PER_SECOND = 1_000;
    private static final String FAILING_KEY = "key-0";
    private static final String RUNNING_KEY = "key-1";
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(20);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** The difference between two runs of the same load. */
    private static final double NOISE_MILLIS = 1;

    /** A load at a steady rate, with the waits of its tasks and the greatest age of an uncommitted one. */
    private static final class Load {
        private final ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();
        private final Map<Integer, Map<Long, Long>> sent = new ConcurrentHashMap<>();
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean measuring;
        private long lagNanos;
    }

    @Override
    public String name() {
        return "stuck";
    }

    @Override
    public String about() {
        return "one key stuck and one that runs on: the other keys' waits, and the commit lag";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        Load without = load(context, false);
        Load with = load(context, true);
        double waitWithout = p99(without);
        double waitWith = p99(with);
        return List.of(
                Measurement.withoutBudget("other keys' wait, p99, nothing stuck", waitWithout, "ms"),
                Measurement.of(
                        "other keys' wait, p99, one key stuck and one running on",
                        waitWith,
                        "ms",
                        Budget.atMost(Math.max(1.2 * waitWithout, waitWithout + NOISE_MILLIS))),
                Measurement.of(
                        "oldest uncommitted task meanwhile",
                        with.lagNanos / 1e9,
                        "s",
                        Budget.atMost(3 * CoreSettings.DEFAULTS.horizonMillis() / 1e3)));
    }

    private static double p99(Load load) {
        return Percentiles.of(load.waits).p99() / 1e6;
    }

    private static Load load(ScenarioContext context, boolean stuck) throws Exception {
        String queue = context.uniqueName("stuck");
        Load load = new Load();
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS);
                TandemExecutor executor =
                        TandemExecutor.ofTopic(context, queue, QueuePolicy.ordered(256), handler(load, stuck));
                KafkaProducer<String, byte[]> producer = topic.producer(0)) {
            publish(producer, load, queue, 0, PER_SECOND); // warms up
            Await.until(
                    LIMIT,
                    () -> executor.status().succeeded() >= PER_SECOND / 2,
                    () -> "Fewer than " + PER_SECOND / 2 + " tasks succeeded (" + executor.status() + ")");
            load.measuring = true;
            int tasks = (int)
                    (PER_SECOND * context.sizes().durationOr(DEFAULT_DURATION).toSeconds());
            Thread publisher = new Thread(() -> publish(producer, load, queue, PER_SECOND, tasks), "load");
            publisher.start();
            while (publisher.isAlive()) {
                load.lagNanos = Math.max(load.lagNanos, lag(topic, queue, load));
                context.progress("oldest uncommitted task so far: %.1f s", load.lagNanos / 1e9);
                publisher.join(100);
            }
            load.ended.set(true);
        }
        context.say(
                "%s: p99 %.1f ms, oldest uncommitted task %.1f s",
                stuck ? "one stuck, one running on" : "nothing stuck", p99(load), load.lagNanos / 1e9);
        return load;
    }

    private static Handler handler(Load load, boolean stuck) {
        return task -> {
            long sentAt = ByteBuffer.wrap(task.payload()).getLong();
            if (load.measuring && stuck) {
                if (FAILING_KEY.equals(task.key())) {
                    return Result.again(Duration.ofHours(1), "stuck");
                }
                if (RUNNING_KEY.equals(task.key())) {
                    runUntilTheEnd(load, task);
                }
            }
            if (load.measuring && !FAILING_KEY.equals(task.key()) && !RUNNING_KEY.equals(task.key())) {
                load.waits.add(System.nanoTime() - sentAt);
            }
            return Result.done();
        };
    }

    private static void runUntilTheEnd(Load load, TaskContext task) throws InterruptedException {
        while (!load.ended.get() && !task.isCancelled()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void publish(KafkaProducer<String, byte[]> producer, Load load, String topic, int from, int tasks) {
        long begin = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            long at = begin + i * 1_000_000_000L / PER_SECOND;
            while (System.nanoTime() < at) {
                LockSupport.parkNanos(200_000);
            }
            long now = System.nanoTime();
            byte[] payload = ByteBuffer.allocate(Long.BYTES).putLong(now).array();
            producer.send(new ProducerRecord<>(topic, "key-" + (from + i) % KEYS, payload), (where, failure) -> {
                if (failure == null) {
                    load.sent
                            .computeIfAbsent(where.partition(), partition -> new ConcurrentHashMap<>())
                            .put(where.offset(), now);
                }
            });
        }
        producer.flush();
    }

    /** Returns the age of the oldest task in any partition that is not committed. */
    private static long lag(KafkaTopic topic, String queue, Load load) throws Exception {
        long now = System.nanoTime();
        long oldest = 0;
        Map<Integer, Long> committed = topic.committed(KafkaTopic.group(queue));
        for (Map.Entry<Integer, Map<Long, Long>> partition : load.sent.entrySet()) {
            Long sentAt = partition.getValue().get(committed.getOrDefault(partition.getKey(), 0L));
            oldest = Math.max(oldest, sentAt == null ? 0 : now - sentAt);
        }
        return oldest;
    }
}
