package dev.tandem.benchmarks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * kill -9 of one of two executors while all its tasks run: how long until the other one has started each of them. Behind
 * each such task of a key waits another one, which must not be lost either.
 */
final class Recovery implements Scenario {

    private static final int TASKS = 200;
    private static final int PARTITIONS = 8;
    private static final double BUDGET_SECONDS = 15;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public String about() {
        return "kill -9 of an executor: until all its tasks run again";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        List<Double> seconds = new ArrayList<>();
        for (int round = 1; round <= lab.sizes().rounds(); round++) {
            seconds.add(round(lab));
            lab.say("round %d of %d: %.1f s", round, lab.sizes().rounds(), seconds.get(seconds.size() - 1));
        }
        return List.of(
                Measured.told("kill -9: all tasks running again, median", Medians.of(seconds), "s"),
                Measured.of(
                        "kill -9: all tasks running again, longest of " + seconds.size(),
                        Collections.max(seconds),
                        "s",
                        Budget.atMost(BUDGET_SECONDS)));
    }

    private static double round(Lab lab) throws Exception {
        String queue = lab.name("recovery");
        Path folder = Scratch.folder();
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, PARTITIONS);
                Worker survivor = Worker.start(lab, queue, folder, "survivor");
                Worker victim = Worker.start(lab, queue, folder, "victim")) {
            topic.awaitMembers(KafkaTopic.group(queue), 2, PARTITIONS);
            publish(topic, queue);
            Patience.await(
                    PATIENCE,
                    () -> running(survivor).size() + running(victim).size() == TASKS
                            && !running(victim).isEmpty(),
                    () -> "Not all tasks started");
            Set<String> lost = running(victim);
            long killedAt = Worker.nowMicros();
            victim.kill();
            Patience.await(PATIENCE, () -> running(survivor).containsAll(lost), () -> "Tasks were lost");
            long last = survivor.events().stream()
                    .filter(event -> event.start() && lost.contains(event.task()))
                    .mapToLong(Worker.Event::micros)
                    .max()
                    .orElseThrow();
            // Nothing is lost: what was held ends, and what waited behind it runs.
            Files.createFile(folder.resolve("release"));
            topic.awaitCommitted(KafkaTopic.group(queue), 2L * TASKS, lab);
            long ended = survivor.events().stream()
                    .filter(event -> !event.start())
                    .map(Worker.Event::task)
                    .distinct()
                    .count();
            if (ended != 2L * TASKS) {
                throw new IllegalStateException("Only " + ended + " of " + 2 * TASKS + " tasks ran to their end");
            }
            return (last - killedAt) / 1e6;
        } finally {
            Scratch.delete(folder);
        }
    }

    /** Two tasks for each key: the first is held, the other waits for it. */
    private static void publish(KafkaTopic topic, String queue) {
        try (KafkaProducer<String, byte[]> producer = topic.producer(5)) {
            for (String payload : List.of(Worker.HELD, "")) {
                for (int i = 0; i < TASKS; i++) {
                    producer.send(new ProducerRecord<>(queue, "key-" + i, payload.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
    }

    private static Set<String> running(Worker worker) throws Exception {
        List<Worker.Event> events = worker.events();
        Set<String> ended = events.stream()
                .filter(event -> !event.start())
                .map(Worker.Event::task)
                .collect(Collectors.toSet());
        Set<String> running = new HashSet<>();
        for (Worker.Event event : events) {
            if (event.start() && !ended.contains(event.task())) {
                running.add(event.task());
            }
        }
        return running;
    }
}
