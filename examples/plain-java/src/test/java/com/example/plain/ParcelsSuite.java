package com.example.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Programs;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of this folder and of its neighbours, over one kind of broker. */
abstract class ParcelsSuite {

    static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));
    private static final int CUSTOMERS = 3;

    /** The name of the topic or the queue at the broker. */
    final String name = UniqueNames.fresh("parcels");

    @TempDir
    private Path folder;

    /** A task as a handler got it. */
    private record Got(String key, String order, long millis, String about) {

        static Got of(Ship ship, TaskContext task) {
            String about = task.id() + " " + task.type() + " " + task.dedupKey() + " " + task.maxAttempts();
            return new Got(String.valueOf(task.key()), ship.order(), System.currentTimeMillis(), about);
        }
    }

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    /** Returns the broker's address, as the publishers take it. */
    abstract String broker();

    /** Returns the settings by which {@code parcels} has its name at the broker. */
    abstract String names();

    /** Checks where the tasks of a publisher have gone, as far as that is left to the publisher. */
    abstract void assertPlaces();

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                tandem:
                  %s
                  redis: { uri: "%s", namespace: "%s" }
                  queues:
                    parcels: { source: %s, ordering: key, %s }
                """.formatted(
                        source().equals("kafka")
                                ? "kafka: { bootstrap-servers: \"" + broker() + "\" }"
                                : "rabbit: { uri: \"" + broker() + "\" }",
                        Brokers.redis().uri(),
                        name,
                        source(),
                        names()));
    }

    @Test
    void theHandlersWorkSurvivesAKill() throws Exception {
        Path log = folder.resolve("first.log");
        try (LocalProcess process = start(log)) {
            awaitReady();
            SubmitParcels.main(new String[] {broker(), name});
            await().atMost(PATIENCE)
                    .until(() -> process.isRunning() && done(log).size() >= 6);
            process.kill();
        }
        Path secondLog = folder.resolve("second.log");
        List<String> before = done(log);
        assertThat(before).hasSizeLessThan(30);
        try (LocalProcess process = start(secondLog)) {
            await().atMost(PATIENCE)
                    .until(() -> process.isRunning()
                            && Stream.concat(before.stream(), done(secondLog).stream())
                                            .distinct()
                                            .count()
                                    == 30);
        }
        List<String> all = Stream.concat(before.stream(), done(secondLog).stream())
                .distinct()
                .toList();
        for (int customer = 0; customer < CUSTOMERS; customer++) {
            String key = "done c-" + customer + " ";
            int first = customer;
            assertThat(all.stream().filter(line -> line.startsWith(key)))
                    .containsExactlyElementsOf(IntStream.range(0, 10)
                            .mapToObj(i -> key + "o-" + (first + CUSTOMERS * i))
                            .toList());
        }
    }

    /** Waits until the executor has made what it needs at the broker. */
    abstract void awaitReady();

    private static List<String> done(Path log) throws IOException {
        return Files.exists(log)
                ? Files.readAllLines(log).stream()
                        .filter(line -> line.matches("done c-\\d o-\\d+"))
                        .toList()
                : List.of();
    }

    private LocalProcess start(Path log) throws IOException {
        return LocalProcess.java(
                        "parcels",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        ShipParcels.class.getName(),
                        List.of(settings().toString()))
                .log(log)
                .disposable()
                .build()
                .start();
    }

    @Test
    void pythonPublishesTasks() throws IOException {
        assertPublishes("python", Publishers.python("publish_" + source() + ".py"));
    }

    @Test
    void nodePublishesTasks() throws IOException {
        assertPublishes("node", Publishers.node("publish-" + source() + ".js"));
    }

    private void assertPublishes(String language, List<String> program) throws IOException {
        List<Got> got = new CopyOnWriteArrayList<>();
        try (Tandem tandem = Tandem.connect(settings())
                .queue(ShipParcels.QUEUE)
                .handler("ship", Ship.class, (ship, task) -> got.add(Got.of(ship, task)))
                .start()) {
            awaitReady();
            long began = System.currentTimeMillis();
            List<String> words = new ArrayList<>(program);
            words.addAll(List.of(broker(), name));
            Programs.Result result = Programs.run(words, "");
            assertThat(result.status()).as(result.output()).isZero();
            assertThat(result.output()).contains("Published 13 tasks to " + name);

            await().atMost(PATIENCE).until(() -> got.size() == 13);
            for (int key = 0; key < CUSTOMERS; key++) {
                int first = key;
                assertThat(got)
                        .filteredOn(each ->
                                each.key().equals("c-" + first) && !each.order().equals("o-12"))
                        .extracting(Got::order)
                        .containsExactlyElementsOf(IntStream.range(0, 4)
                                .mapToObj(i -> "o-" + (first + CUSTOMERS * i))
                                .toList());
            }
            // On a busy machine others may still wait when the delay is over.
            Got delayed = got.stream()
                    .filter(each -> each.order().equals("o-12"))
                    .findFirst()
                    .orElseThrow();
            assertThat(delayed.about()).isEqualTo(language + "-12 ship order-12 3");
            assertThat(delayed.millis() - began).isGreaterThanOrEqualTo(2_000);
            assertThat(got)
                    .filteredOn(each -> each != delayed)
                    .allSatisfy(each ->
                            assertThat(each.about()).startsWith(language + "-").endsWith(" 8"));
        }
        assertPlaces();
    }
}
