package dev.tandem.benchmarks;

import dev.tandem.kit.TemporaryFolder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures how many tasks pull workers lease from one server and finish, by HTTP, in lots of a hundred and one by one. The workers
 * are threads of this process and do no work.
 */
final class PullRate implements Scenario {

    private static final int TASKS = 100_000;
    private static final int TASKS_ONE_BY_ONE = 10_000;
    private static final int WORKERS = 8;
    private static final double BUDGET = 5_000;
    private static final Pattern LEASE = Pattern.compile("\"lease\":\"([^\"]+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public String name() {
        return "pull";
    }

    @Override
    public String about() {
        return "tasks per second that pull workers lease and finish through one server";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Double> lots = new ArrayList<>();
        List<Double> singles = new ArrayList<>();
        for (int i = 0; i < context.sizes().rounds(); i++) {
            lots.add(run(context, context.sizes().tasksOr(TASKS), 100));
            singles.add(run(context, context.sizes().tasksOr(TASKS_ONE_BY_ONE), 1));
        }
        return List.of(
                Measurement.of("pull workers, 100 tasks at once", Median.of(lots), "/s", Budget.atLeast(BUDGET)),
                Measurement.withoutBudget("pull workers, task by task", Median.of(singles), "/s"));
    }

    private double run(ScenarioContext context, int tasks, int lot) throws Exception {
        String queue = context.uniqueName("pull");
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(), queue, context.sizes().partitions())) {
            topic.fill(KeyDistribution.DISTINCT, tasks);
            Path settings = Files.writeString(folder.path().resolve("tandem.yml"), """
                    tandem:
                      kafka: { bootstrap-servers: "%s" }
                      redis: { uri: "%s" }
                      queues:
                        %s: { source: kafka, handler: pull }
                    """.formatted(
                            topic.bootstrap(), context.brokers().redis(), queue));
            try (BenchServer server = BenchServer.start(settings, true)) {
                server.await("/actuator/health");
                String url = server.url() + "/api/v1/queues/" + queue + "/pull/";
                // Until the first task has come, the server may be reading the topic.
                finish(url, lease(url, 1, "30s"));
                double rate = measure(url, tasks - 1, lot);
                context.say("%,d tasks, %d at once: %,.0f a second", tasks, lot, rate);
                topic.awaitCommitted(KafkaTopic.group(queue), tasks, context);
                return rate;
            }
        }
    }

    private double measure(String url, int tasks, int lot) throws Exception {
        AtomicInteger left = new AtomicInteger(tasks);
        AtomicLong endedAt = new AtomicLong();
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        long startedAt = System.nanoTime();
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                all.add(workers.submit((Callable<Void>) () -> {
                    while (left.get() > 0) {
                        List<String> leases = lease(url, lot, "1s");
                        if (!leases.isEmpty()) {
                            finish(url, leases);
                            if (left.addAndGet(-leases.size()) <= 0) {
                                endedAt.set(System.nanoTime());
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<Void> each : all) {
                each.get();
            }
        } finally {
            workers.shutdownNow();
        }
        return tasks / ((endedAt.get() - startedAt) / 1e9);
    }

    private List<String> lease(String url, int max, String wait) throws Exception {
        Matcher leases = LEASE.matcher(post(url + "lease", "{\"max\":" + max + ",\"wait\":\"" + wait + "\"}"));
        List<String> names = new ArrayList<>();
        while (leases.find()) {
            names.add(leases.group(1));
        }
        return names;
    }

    private void finish(String url, List<String> leases) throws Exception {
        List<String> each =
                leases.stream().map(lease -> "{\"lease\":\"" + lease + "\"}").toList();
        post(url + "finish", "{\"leases\":[" + String.join(",", each) + "]}");
    }

    private String post(String url, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException("The server answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }
}
