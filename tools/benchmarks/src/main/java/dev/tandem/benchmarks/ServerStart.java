package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.kit.TemporaryFolder;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalException;
import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures how long the server takes to start, with one queue from Kafka, as {@code ./tandem server} starts it: with
 * an archive of its classes, and without.
 */
final class ServerStart implements Scenario {

    /** The project's folder, set by {@code ./tandem bench}. Tests start the server from their class path instead. */
    private static final String HOME = "TANDEM_HOME";

    private static final String SERVER = "dev.tandem.server.TandemServer";
    private static final double BUDGET_SECONDS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private final HttpClient http = HttpClient.newHttpClient();

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

    private Start start(ScenarioContext context, Path settings, boolean archived) throws Exception {
        String api = "http://127.0.0.1:" + freePort();
        List<String> command = command();
        command.addAll(List.of(
                "--config",
                settings.toString(),
                "--server.port=" + URI.create(api).getPort()));
        long startedAt = System.nanoTime();
        LocalProcess server = LocalProcess.program("server", command)
                .directory(settings.getParent())
                .environment("TANDEM_CLASS_ARCHIVE", archived ? "yes" : "no")
                .start();
        try {
            double ready = await(server, api + "/actuator/health/readiness", startedAt);
            double healthy = await(server, api + "/actuator/health", startedAt);
            context.say(
                    "%s a class archive: ready after %.2f s, brokers reached after %.2f s",
                    archived ? "with" : "without", ready, healthy);
            return new Start(ready, healthy);
        } finally {
            server.close();
        }
    }

    private static List<String> command() {
        Map<String, String> environment = System.getenv();
        if (environment.containsKey(HOME)) {
            return new ArrayList<>(List.of(environment.get(HOME) + "/tandem", "server"));
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(JvmOptions.quickStart("256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SERVER));
        return command;
    }

    /** Returns the seconds until the address answers with status 200. */
    private double await(LocalProcess server, String address, long startedAt) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .timeout(Duration.ofSeconds(5))
                .build();
        Await.until(
                LIMIT,
                INTERVAL,
                () -> {
                    if (!server.isRunning()) {
                        throw new LocalException("The server ended. " + server.logTail());
                    }
                    return isUp(request);
                },
                () -> "The server was not up. " + server.logTail());
        return (System.nanoTime() - startedAt) / 1e9;
    }

    private boolean isUp(HttpRequest request) throws InterruptedException {
        try {
            return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // not listening yet
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
