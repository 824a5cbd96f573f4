package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.TemporaryFolder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Kills one of two executors by kill -9 while all its tasks run, and measures how long it takes until the other one
 * has started all of them. Behind each of these tasks waits another one of its key, which must not be lost either.
 */
final class CrashRecovery implements Scenario {

    private static final int TASKS = 200;
    private static final int PARTITIONS = 8;
    private static final double BUDGET_SECONDS = 15;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public String about() {
        return "kill -9 of an executor: until all its tasks run again";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Double> seconds = new ArrayList<>();
        for (int round = 1; round <= context.sizes().rounds(); round++) {
            seconds.add(round(context));
            context.say("round %d of %d: %.1f s", round, context.sizes().rounds(), seconds.get(seconds.size() - 1));
        }
        return List.of(
                Measurement.withoutBudget("kill -9: all tasks running again, median", Median.of(seconds), "s"),
                Measurement.of(
                        "kill -9: all tasks running again, longest of " + seconds.size(),
                        Collections.max(seconds),
                        "s",
                        Budget.atMost(BUDGET_SECONDS)));
    }

    private static double round(ScenarioContext context) throws Exception {
        String queue = context.uniqueName("recovery");
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS);
                BenchWorker survivor = BenchWorker.start(context, queue, folder.path(), "survivor");
                BenchWorker victim = BenchWorker.start(context, queue, folder.path(), "victim")) {
            topic.awaitMembers(KafkaTopic.group(queue), 2, PARTITIONS);
            publish(topic, queue);
            Await.until(
                    LIMIT,
                    () -> running(survivor).size() + running(victim).size() == TASKS
                            && !running(victim).isEmpty(),
                    () -> "Only " + running(survivor).size() + " and "
                            + running(victim).size() + " of " + TASKS + " tasks were running in the two executors");
            Set<String> lost = running(victim);
            long killedAt = EpochMicros.now();
            victim.kill();
            Await.until(
                    LIMIT,
                    () -> running(survivor).containsAll(lost),
                    () -> "Only " + running(survivor).size() + " of " + TASKS + " tasks were running after the kill");
            long last = survivor.events().stream()
                    .filter(event -> event.start() && lost.contains(event.task()))
                    .mapToLong(BenchWorker.Event::micros)
                    .max()
                    .orElseThrow();
            // Releases the tasks, so that the ones behind them run too. All of them must reach their end.
            Files.createFile(folder.path().resolve(BenchWorker.RELEASE));
            topic.awaitCommitted(KafkaTopic.group(queue), 2L * TASKS, context);
            long ended = survivor.events().stream()
                    .filter(event -> !event.start())
                    .map(BenchWorker.Event::task)
                    .distinct()
                    .count();
            if (ended != 2L * TASKS) {
                throw new IllegalStateException("Only " + ended + " of " + 2 * TASKS + " tasks reached their end");
            }
            return (last - killedAt) / 1e6;
        }
    }

    /** Publishes two tasks for each key: the first does not end until it is released, and the other waits for it. */
    private static void publish(KafkaTopic topic, String queue) {
        try (KafkaProducer<String, byte[]> producer = topic.producer(5)) {
            for (String payload : List.of(BenchWorker.HELD, "")) {
                for (int i = 0; i < TASKS; i++) {
                    producer.send(new ProducerRecord<>(queue, "key-" + i, payload.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
    }

    /** Returns the tasks that have started and not ended. */
    private static Set<String> running(BenchWorker worker) {
        List<BenchWorker.Event> events = worker.events();
        Set<String> ended = events.stream()
                .filter(event -> !event.start())
                .map(BenchWorker.Event::task)
                .collect(Collectors.toSet());
        Set<String> running = new HashSet<>();
        for (BenchWorker.Event event : events) {
            if (event.start() && !ended.contains(event.task())) {
                running.add(event.task());
            }
        }
        return running;
    }
}
