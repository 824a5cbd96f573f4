package dev.tandem.benchmarks;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
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
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * One key's task fails and waits an hour for its next attempt, another one's runs on and on: what the other keys notice
 * of it, and how far the committed offset stays behind, against the same load without them.
 */
final class StuckKey implements Scenario {

    private static final int PARTITIONS = 4;
    private static final int KEYS = 200;
    private static final int PER_SECOND = 1_000;
    private static final String FAILS = "key-0";
    private static final String LASTS = "key-1";
    private static final Duration USUAL = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Two runs of the same thing differ by as much. */
    private static final double NOISE_MILLIS = 1;

    /** A load at a steady rate, how long its tasks took to their start, and how old the oldest uncommitted one was. */
    private static final class Load {
        private final ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();
        private final Map<Integer, Map<Long, Long>> sent = new ConcurrentHashMap<>();
        private final AtomicBoolean over = new AtomicBoolean();
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
    public List<Measured> run(Lab lab) throws Exception {
        Load free = load(lab, false);
        Load stuck = load(lab, true);
        double before = p99(free);
        double with = p99(stuck);
        return List.of(
                Measured.told("other keys' wait, p99, nothing stuck", before, "ms"),
                Measured.of(
                        "other keys' wait, p99, one key stuck and one running on",
                        with,
                        "ms",
                        Budget.atMost(Math.max(1.2 * before, before + NOISE_MILLIS))),
                Measured.of(
                        "oldest uncommitted task meanwhile",
                        stuck.lagNanos / 1e9,
                        "s",
                        Budget.atMost(3 * CoreSettings.DEFAULTS.horizonMillis() / 1e3)));
    }

    private static double p99(Load load) {
        return Spread.of(load.waits.stream().mapToLong(Long::longValue).toArray())
                        .p99()
                / 1e6;
    }

    private static Load load(Lab lab, boolean stuck) throws Exception {
        String queue = lab.name("stuck");
        Load load = new Load();
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, PARTITIONS);
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(
                                queue,
                                new KafkaSource(KafkaSettings.of(lab.kafka(), queue)),
                                QueuePolicy.ordered(256),
                                handler(load, stuck)));
                KafkaProducer<String, byte[]> producer = topic.producer(0)) {
            publish(producer, load, queue, 0, PER_SECOND); // warms up, and waits until work is done
            Patience.await(
                    PATIENCE,
                    () -> tandem.status().succeeded() >= PER_SECOND / 2,
                    () -> "No task runs, " + tandem.status());
            load.measuring = true;
            int tasks = (int) (PER_SECOND * lab.sizes().durationOr(USUAL).toSeconds());
            Thread publisher = new Thread(() -> publish(producer, load, queue, PER_SECOND, tasks), "load");
            publisher.start();
            while (publisher.isAlive()) {
                load.lagNanos = Math.max(load.lagNanos, lag(topic, queue, load));
                lab.progress("oldest uncommitted task so far: %.1f s", load.lagNanos / 1e9);
                publisher.join(100);
            }
            load.over.set(true);
        }
        lab.say(
                "%s: p99 %.1f ms, oldest uncommitted task %.1f s",
                stuck ? "one stuck, one running on" : "nothing stuck", p99(load), load.lagNanos / 1e9);
        return load;
    }

    private static Handler handler(Load load, boolean stuck) {
        return task -> {
            long sentAt = ByteBuffer.wrap(task.payload()).getLong();
            if (load.measuring && stuck) {
                if (FAILS.equals(task.key())) {
                    return Result.again(Duration.ofHours(1), "stuck");
                }
                if (LASTS.equals(task.key())) {
                    runOn(load, task);
                }
            }
            if (load.measuring && !FAILS.equals(task.key()) && !LASTS.equals(task.key())) {
                load.waits.add(System.nanoTime() - sentAt);
            }
            return Result.done();
        };
    }

    private static void runOn(Load load, TaskContext task) throws InterruptedException {
        while (!load.over.get() && !task.isCancelled()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void publish(KafkaProducer<String, byte[]> producer, Load load, String topic, int from, int tasks) {
        long begin = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            long at = begin + i * 1_000_000_000L / PER_SECOND;
            while (System.nanoTime() < at) {
                java.util.concurrent.locks.LockSupport.parkNanos(200_000);
            }
            long now = System.nanoTime();
            byte[] payload = ByteBuffer.allocate(Long.BYTES).putLong(now).array();
            producer.send(new ProducerRecord<>(topic, "key-" + (from + i) % KEYS, payload), (where, failure) -> {
                if (failure == null) {
                    load.sent
                            .computeIfAbsent(where.partition(), p -> new ConcurrentHashMap<>())
                            .put(where.offset(), now);
                }
            });
        }
        producer.flush();
    }

    /** The age of the oldest task that is not committed, of all partitions. */
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
