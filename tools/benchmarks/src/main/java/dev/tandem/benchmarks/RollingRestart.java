package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.TemporaryFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Replaces two executors one after the other under load, and measures the longest wait of a task from its publishing
 * to its start, and how many tasks were lost or ran more than once.
 */
final class RollingRestart implements Scenario {

    private static final int PARTITIONS = 8;
    private static final int KEYS = 100;
    private static final int PER_SECOND = 500;
    private static final double BUDGET_SECONDS = 2;
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public String about() {
        return "a rolling restart of two executors under load: the longest wait, and tasks that ran twice";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-")) {
            return run(context, folder.path());
        }
    }

    private static List<Measurement> run(ScenarioContext context, Path folder) throws Exception {
        String queue = context.uniqueName("restart");
        List<BenchWorker> workers = new ArrayList<>();
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS)) {
            workers.add(BenchWorker.start(context, queue, folder, "old-1"));
            workers.add(BenchWorker.start(context, queue, folder, "old-2"));
            Map<String, Long> published = new ConcurrentHashMap<>();
            AtomicInteger sent = new AtomicInteger();
            AtomicBoolean stopped = new AtomicBoolean();
            Thread load = new Thread(() -> publish(topic, stopped, sent, published), "load");
            load.start();
            try {
                replaceBoth(context, queue, folder, workers);
            } finally {
                stopped.set(true);
                load.join();
            }
            topic.awaitCommitted(KafkaTopic.group(queue), sent.get(), context);
            return judge(workers, published);
        } finally {
            workers.forEach(BenchWorker::close);
        }
    }

    /** Starts each new executor before it stops the old one. */
    private static void replaceBoth(ScenarioContext context, String queue, Path folder, List<BenchWorker> workers)
            throws Exception {
        Duration pause = context.sizes().durationOr(DEFAULT_DURATION);
        awaitFirstTask(workers.get(0));
        awaitFirstTask(workers.get(1));
        for (int i = 0; i < 2; i++) {
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
            BenchWorker fresh = BenchWorker.start(context, queue, folder, "new-" + (i + 1));
            workers.add(fresh);
            awaitFirstTask(fresh);
            context.say("%d of 2 executors replaced", i + 1);
            workers.get(i).close();
        }
        TimeUnit.MILLISECONDS.sleep(pause.toMillis());
    }

    private static void awaitFirstTask(BenchWorker worker) throws Exception {
        Await.until(LIMIT, () -> !worker.events().isEmpty(), () -> "An executor did not get a task");
    }

    private static void publish(
            KafkaTopic topic, AtomicBoolean stopped, AtomicInteger sent, Map<String, Long> published) {
        try (KafkaProducer<String, byte[]> producer = topic.producer(0)) {
            for (int i = 0; !stopped.get(); i++) {
                long at = EpochMicros.now();
                producer.send(new ProducerRecord<>(topic.name(), "key-" + i % KEYS, new byte[0]), (where, failure) -> {
                    if (failure == null) {
                        published.put(where.partition() + ":" + where.offset(), at);
                    }
                });
                sent.incrementAndGet();
                TimeUnit.MICROSECONDS.sleep(1_000_000 / PER_SECOND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Measurement> judge(List<BenchWorker> workers, Map<String, Long> published) {
        // Tasks that were published before both old executors worked waited for their start, which is not measured.
        long begin = workers.subList(0, 2).stream()
                .mapToLong(worker -> worker.events().get(0).micros())
                .max()
                .orElseThrow();
        Map<String, Long> firstStarts = new HashMap<>();
        Map<String, Integer> runs = new HashMap<>();
        for (BenchWorker worker : workers) {
            for (BenchWorker.Event event : worker.events()) {
                if (event.start()) {
                    firstStarts.merge(event.task(), event.micros(), Math::min);
                    runs.merge(event.task(), 1, Integer::sum);
                }
            }
        }
        long longestWait = published.entrySet().stream()
                .filter(task -> task.getValue() >= begin && firstStarts.containsKey(task.getKey()))
                .mapToLong(task -> firstStarts.getOrDefault(task.getKey(), task.getValue()) - task.getValue())
                .max()
                .orElse(0);
        long lost = published.keySet().stream()
                .filter(task -> !firstStarts.containsKey(task))
                .count();
        long twice = runs.values().stream().filter(count -> count > 1).count();
        return List.of(
                Measurement.of(
                        "rolling restart: longest wait of a task",
                        longestWait / 1e6,
                        "s",
                        Budget.atMost(BUDGET_SECONDS)),
                Measurement.of("rolling restart: tasks lost", lost, "", Budget.atMost(0)),
                Measurement.of("rolling restart: tasks that ran twice", twice, "", Budget.atMost(0)));
    }
}
