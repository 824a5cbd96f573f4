package dev.tandem.benchmarks;

import dev.tandem.kit.TemporaryFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how long the server takes to start, with one queue from Kafka, as {@code ./tandem server} starts it: with
 * an archive of its classes, and without.
 */
final class ServerStart implements Scenario {

    private static final double BUDGET_SECONDS = 3;
    /** Times of one start: until the API took requests, and until all brokers were reached. */
    private record Start(double ready, double healthy) {}

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String about() {
        return "the start of the server, until its API is ready and until its brokers are reached";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        String queue = context.uniqueName("start");
        List<Start> archived = new ArrayList<>();
        List<Start> plain = new ArrayList<>();
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(), queue, context.sizes().partitions())) {
            Path settings = folder.path().resolve("tandem.yml");
            Files.writeString(
                    settings, """
                    tandem:
                      kafka: { bootstrap-servers: "%s" }
                      redis: { uri: "%s" }
                      queues:
                        %s: { source: kafka, handler: log }
                    """.formatted(topic.bootstrap(), context.brokers().redis(), queue));
            start(context, settings, true); // builds what has changed, and makes the archive
            for (int i = 0; i < context.sizes().rounds(); i++) {
                plain.add(start(context, settings, false));
                archived.add(start(context, settings, true));
            }
        }
        return List.of(
                ready("server start: ready", archived, Budget.atMost(BUDGET_SECONDS)),
                healthy("server start: brokers reached", archived),
                ready("server start without a class archive: ready", plain, Budget.NONE),
                healthy("server start without a class archive: brokers reached", plain));
    }

    private static Measurement ready(String name, List<Start> starts, Budget budget) {
        return Measurement.of(name, Median.of(starts.stream().map(Start::ready).toList()), "s", budget);
    }

    private static Measurement healthy(String name, List<Start> starts) {
        return Measurement.withoutBudget(
                name, Median.of(starts.stream().map(Start::healthy).toList()), "s");
    }

    private static Start start(ScenarioContext context, Path settings, boolean archived) throws Exception {
        long startedAt = System.nanoTime();
        try (BenchServer server = BenchServer.start(settings, archived)) {
            server.await("/actuator/health/readiness");
            double ready = (System.nanoTime() - startedAt) / 1e9;
            server.await("/actuator/health");
            double healthy = (System.nanoTime() - startedAt) / 1e9;
            context.say(
                    "%s a class archive: ready after %.2f s, brokers reached after %.2f s",
                    archived ? "with" : "without", ready, healthy);
            return new Start(ready, healthy);
        }
    }
}
