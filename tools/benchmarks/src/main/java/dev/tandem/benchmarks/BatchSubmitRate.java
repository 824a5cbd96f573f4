package dev.tandem.benchmarks;

import dev.tandem.kit.TemporaryFolder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures how many tasks one server publishes that come as one stream of lines by HTTP. The server runs no tasks meanwhile. */
final class BatchSubmitRate implements Scenario {

    private static final int TASKS = 200_000;
    private static final double BUDGET = 10_000;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public String name() {
        return "batch-submit";
    }

    @Override
    public String about() {
        return "tasks per second that one server publishes out of one batch";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < context.sizes().rounds(); i++) {
            rates.add(measure(context, context.sizes().tasksOr(TASKS)));
        }
        return List.of(Measurement.of("tasks of a batch, one server", Median.of(rates), "/s", Budget.atLeast(BUDGET)));
    }

    private double measure(ScenarioContext context, int tasks) throws Exception {
        String queue = context.uniqueName("batch");
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(), queue, context.sizes().partitions())) {
            Path settings = Files.writeString(folder.path().resolve("tandem.yml"), """
                    tandem:
                      kafka: { bootstrap-servers: "%s" }
                      redis: { uri: "%s" }
                      executor: { enabled: false }
                      queues:
                        %s: { source: kafka, handler: noop }
                    """.formatted(
                            topic.bootstrap(), context.brokers().redis(), queue));
            try (BenchServer server = BenchServer.start(settings, true)) {
                server.await("/actuator/health");
                String url = server.url() + "/api/v1/queues/" + queue + "/tasks/batch";
                post(url, lines(tasks / 10), tasks / 10); // warms up
                byte[] lines = lines(tasks);
                long startedAt = System.nanoTime();
                post(url, lines, tasks);
                double rate = tasks / ((System.nanoTime() - startedAt) / 1e9);
                context.say("%,d tasks in one batch: %,.0f a second", tasks, rate);
                return rate;
            }
        }
    }

    /** Returns tasks with a hundred thousand keys and payloads of some 60 bytes. */
    private static byte[] lines(int tasks) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < tasks; i++) {
            lines.append("{\"id\":\"order-")
                    .append(i)
                    .append("\",\"key\":\"customer-")
                    .append(i % 100_000);
            lines.append("\",\"payload\":{\"order\":").append(i);
            lines.append(",\"item\":\"a book about rivers\",\"total\":12.50}}\n");
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void post(String url, byte[] lines, int tasks) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofByteArray(lines))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 202 || !answer.body().contains("\"accepted\":" + tasks + ",")) {
            throw new IllegalStateException("The server answered " + answer.statusCode() + ": " + answer.body());
        }
    }
}
