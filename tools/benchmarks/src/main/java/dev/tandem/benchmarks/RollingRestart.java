package dev.tandem.benchmarks;

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
 * Two executors are replaced one after another while tasks keep coming: the longest that a task waited from its
 * publishing to its start, and how many tasks ran more than once.
 */
final class RollingRestart implements Scenario {

    private static final int PARTITIONS = 8;
    private static final int KEYS = 100;
    private static final int PER_SECOND = 500;
    private static final double BUDGET_SECONDS = 2;
    private static final Duration USUAL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public String about() {
        return "a rolling restart of two executors under load: the longest wait, and tasks that ran twice";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        String queue = lab.name("restart");
        Path folder = Scratch.folder();
        List<Worker> workers = new ArrayList<>();
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, PARTITIONS)) {
            workers.add(Worker.start(lab, queue, folder, "old-1"));
            workers.add(Worker.start(lab, queue, folder, "old-2"));
            Map<String, Long> published = new ConcurrentHashMap<>();
            AtomicInteger sent = new AtomicInteger();
            AtomicBoolean enough = new AtomicBoolean();
            Thread load = new Thread(() -> publish(topic, enough, sent, published), "load");
            load.start();
            try {
                replaceBoth(lab, queue, folder, workers);
            } finally {
                enough.set(true);
                load.join();
            }
            topic.awaitCommitted(KafkaTopic.group(queue), sent.get(), lab);
            return judge(workers, published);
        } finally {
            workers.forEach(Worker::close);
            Scratch.delete(folder);
        }
    }

    /** A new one comes before each old one goes. */
    private static void replaceBoth(Lab lab, String queue, Path folder, List<Worker> workers) throws Exception {
        Duration calm = lab.sizes().durationOr(USUAL);
        awaitWork(workers.get(0));
        awaitWork(workers.get(1));
        for (int i = 0; i < 2; i++) {
            TimeUnit.MILLISECONDS.sleep(calm.toMillis());
            Worker fresh = Worker.start(lab, queue, folder, "new-" + (i + 1));
            workers.add(fresh);
            awaitWork(fresh);
            lab.say("%d of 2 is replaced", i + 1);
            workers.get(i).close();
        }
        TimeUnit.MILLISECONDS.sleep(calm.toMillis());
    }

    private static void awaitWork(Worker worker) throws Exception {
        Patience.await(PATIENCE, () -> !worker.events().isEmpty(), () -> "An executor got no task");
    }

    private static void publish(
            KafkaTopic topic, AtomicBoolean enough, AtomicInteger sent, Map<String, Long> published) {
        try (KafkaProducer<String, byte[]> producer = topic.producer(0)) {
            for (int i = 0; !enough.get(); i++) {
                long at = Worker.nowMicros();
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

    private static List<Measured> judge(List<Worker> workers, Map<String, Long> published) throws Exception {
        // Before the first executor worked, tasks waited for its start; that is not what is measured.
        long begin = Long.MIN_VALUE;
        Map<String, Long> firstStart = new HashMap<>();
        Map<String, Integer> runs = new HashMap<>();
        for (Worker worker : workers.subList(0, 2)) {
            begin = Math.max(begin, worker.events().get(0).micros());
        }
        for (Worker worker : workers) {
            for (Worker.Event event : worker.events()) {
                if (event.start()) {
                    firstStart.merge(event.task(), event.micros(), Math::min);
                    runs.merge(event.task(), 1, Integer::sum);
                }
            }
        }
        long longest = 0;
        int lost = 0;
        for (Map.Entry<String, Long> task : published.entrySet()) {
            Long start = firstStart.get(task.getKey());
            if (start == null) {
                lost++;
            } else if (task.getValue() >= begin) {
                longest = Math.max(longest, start - task.getValue());
            }
        }
        long twice = runs.values().stream().filter(count -> count > 1).count();
        return List.of(
                Measured.of(
                        "rolling restart: longest wait of a task", longest / 1e6, "s", Budget.atMost(BUDGET_SECONDS)),
                Measured.of("rolling restart: tasks lost", lost, "", Budget.atMost(0)),
                Measured.of("rolling restart: tasks that ran twice", twice, "", Budget.atMost(0)));
    }
}
