package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.kit.TemporaryFolder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Measures how late the first task of a new process starts, a scheduled one, and how late its second one does. */
final class FirstTask implements Scenario {

    private static final int PARTITIONS = 4;
    private static final int PROCESSES_PER_ROUND = 4;
    private static final int AHEAD_MILLIS = 1_500;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @Override
    public String name() {
        return "first";
    }

    @Override
    public String about() {
        return "how late the first scheduled task of a new process starts";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Double> first = new ArrayList<>();
        List<Double> second = new ArrayList<>();
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-")) {
            for (int i = 0; i < PROCESSES_PER_ROUND * context.sizes().rounds(); i++) {
                double[] late = process(context, folder.path(), "first-" + i);
                context.say("process %d: the first task %.1f ms late, the second %.1f ms", i + 1, late[0], late[1]);
                first.add(late[0]);
                second.add(late[1]);
            }
        }
        double longest = first.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        return List.of(
                Measurement.withoutBudget("first task of a process: lateness, median", Median.of(first), "ms"),
                Measurement.withoutBudget("first task of a process: lateness, longest", longest, "ms"),
                Measurement.withoutBudget("second task of a process: lateness, median", Median.of(second), "ms"));
    }

    private static double[] process(ScenarioContext context, Path folder, String name) throws Exception {
        String queue = context.uniqueName("first");
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS);
                BenchWorker worker = BenchWorker.start(context, queue, folder, name);
                KafkaProducer<String, byte[]> producer = topic.producer(0)) {
            topic.awaitMembers(KafkaTopic.group(queue), 1, PARTITIONS);
            double[] late = new double[2];
            for (int i = 0; i < late.length; i++) {
                int starts = i + 1;
                long due = System.currentTimeMillis() + AHEAD_MILLIS;
                ProducerRecord<String, byte[]> task = new ProducerRecord<>(queue, 0, "key", new byte[0]);
                task.headers().add("tandem-not-before", Long.toString(due).getBytes(StandardCharsets.UTF_8));
                producer.send(task).get();
                Await.until(
                        LIMIT, () -> starts(worker).size() >= starts, () -> "The process did not start task " + starts);
                late[i] = starts(worker).get(i).micros() / 1e3 - due;
                TimeUnit.SECONDS.sleep(1);
            }
            return late;
        }
    }

    private static List<BenchWorker.Event> starts(BenchWorker worker) {
        return worker.events().stream().filter(BenchWorker.Event::start).toList();
    }
}
