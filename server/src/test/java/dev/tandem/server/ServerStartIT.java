package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.PortReservations;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How a server starts without its brokers, or with wrong settings. */
@Execution(ExecutionMode.CONCURRENT)
class ServerStartIT {

    @TempDir
    private Path folder;

    @Test
    void serverWaitsForItsBrokersAndReportsItsHealth() {
        int kafkaPort = PortReservations.reserve();
        int redisPort = PortReservations.reserve();
        String queue = UniqueNames.fresh("patient");
        try (RunningServer server = new RunningServer(Map.of(
                "server.port",
                "0",
                "tandem.kafka.bootstrap-servers",
                "127.0.0.1:" + kafkaPort,
                "tandem.redis.uri",
                "redis://127.0.0.1:" + redisPort,
                "tandem.queues." + queue + ".source",
                "kafka",
                "tandem.queues." + queue + ".partitions",
                "2",
                "tandem.queues." + queue + ".handler",
                "noop"))) {

            JsonNode down = server.get("/actuator/health").json();
            assertThat(down.path("status").asString()).isEqualTo("DOWN");
            assertThat(status(down, "kafka")).isEqualTo("DOWN");
            assertThat(status(down, "redis")).isEqualTo("DOWN");
            assertThat(status(down, "rabbit")).as("no queue needs it").isEqualTo("UP");
            assertThat(server.get("/api/v1/queues/" + queue)
                            .json()
                            .path("state")
                            .asString())
                    .isEqualTo("no redis");

            try (LocalRedis redis = Brokers.orSkip(
                            () -> LocalRedis.builder().port(redisPort).start());
                    LocalKafka kafka = Brokers.orSkip(
                            () -> LocalKafka.builder().port(kafkaPort).start())) {
                assertThat(redis.isRunning() && kafka.isRunning()).isTrue();
                server.awaitHealth();
                await().atMost(PATIENCE)
                        .until(() -> server.post("/api/v1/queues/" + queue + "/tasks", "{}")
                                        .status()
                                == 202);
                await().atMost(PATIENCE)
                        .until(() -> server.get("/api/v1/queues/" + queue)
                                        .json()
                                        .path("counts")
                                        .path("succeeded")
                                        .asInt()
                                == 1);
            }
        }
    }

    /** A queue without partitions has no need of Redis, so a process could take it for away. */
    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void healthDoesNotBlameRedisForAMissingBroker(String source) {
        int redisPort = PortReservations.reserve();
        String queue = UniqueNames.fresh("lonely");
        try (LocalRedis first = Brokers.orSkip(
                        () -> LocalRedis.builder().port(redisPort).start());
                RunningServer server = new RunningServer(Map.of(
                        "server.port",
                        "0",
                        "tandem.kafka.bootstrap-servers",
                        "127.0.0.1:1",
                        "tandem.rabbit.uri",
                        "amqp://127.0.0.1:1",
                        "tandem.redis.uri",
                        "redis://127.0.0.1:" + redisPort,
                        "tandem.queues." + queue + ".source",
                        source,
                        "tandem.queues." + queue + ".handler",
                        "noop"))) {
            awaitHealth(server, source);
            assertThat(server.get("/api/v1/queues/" + queue)
                            .json()
                            .path("state")
                            .asString())
                    .isEqualTo("no broker");

            first.close();
            await().atMost(PATIENCE)
                    .until(() -> status(server.get("/actuator/health").json(), "redis")
                            .equals("DOWN"));
            try (LocalRedis again =
                    Brokers.orSkip(() -> LocalRedis.builder().port(redisPort).start())) {
                assertThat(again.isRunning()).isTrue();
                awaitHealth(server, source);
            }
        }
    }

    private static void awaitHealth(RunningServer server, String missing) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode health = server.get("/actuator/health").json();
            assertThat(status(health, "redis")).as(health.toString()).isEqualTo("UP");
            assertThat(status(health, missing)).isEqualTo("DOWN");
            assertThat(health.toString()).doesNotContain("<unresolved>", "Exception");
        });
    }

    @Test
    void logLinesAreJsonIfTheSettingSaysSo() throws IOException {
        int port = PortReservations.reserve();
        try (LocalProcess process = LocalProcess.java(
                        "server",
                        withoutLogbackOfTests(),
                        JvmOptions.quickStart("256m"),
                        TandemServer.class.getName(),
                        List.of(
                                "--server.port=" + port,
                                "--tandem.api.login=none",
                                "--logging.structured.format.console=ecs",
                                "--tandem.redis.uri=redis://127.0.0.1:1",
                                "--tandem.kafka.bootstrap-servers=127.0.0.1:1",
                                "--tandem.queues.orders.source=kafka",
                                "--tandem.queues.orders.handler=noop"))
                .directory(folder)
                .start()) {
            await().atMost(PATIENCE).until(() -> lives(port));
            List<JsonNode> lines = Files.readAllLines(process.log()).stream()
                    .filter(line -> line.startsWith("{"))
                    .map(line -> JsonMapper.shared().readTree(line))
                    .toList();
            assertThat(lines)
                    .anyMatch(line ->
                            line.path("message").asString().endsWith("The API listens on http://127.0.0.1:" + port))
                    .anyMatch(line -> line.path("message").asString().startsWith("Queue orders: Kafka topic orders"))
                    .allMatch(line -> line.has("@timestamp") && line.path("log").has("level"));
            assertThat(Files.readString(process.log())).doesNotContain(" INFO ");
        }
    }

    /** Returns the class path without the configuration of logging that tests have, which would replace the server's. */
    private static String withoutLogbackOfTests() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Files.exists(Path.of(entry, "logback-test.xml")))
                .filter(entry -> !Path.of(entry).getFileName().toString().contains("testkit"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void killedServerLeavesNothingInTheTempDirectory() throws IOException {
        int port = PortReservations.reserve();
        Path temp = Files.createDirectory(folder.resolve("temp"));
        try (LocalProcess process = LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m", "-Djava.io.tmpdir=" + temp),
                        TandemServer.class.getName(),
                        List.of(
                                "--server.port=" + port,
                                "--tandem.api.login=none",
                                "--tandem.redis.uri=redis://127.0.0.1:1",
                                "--tandem.kafka.bootstrap-servers=127.0.0.1:1",
                                "--tandem.queues.orders.source=kafka",
                                "--tandem.queues.orders.handler=noop"))
                .directory(folder)
                .start()) {
            await().atMost(PATIENCE).until(() -> lives(port));
            process.kill();
            assertThat(process.awaitExit(PATIENCE)).isTrue();
        }
        try (Stream<Path> left = Files.list(temp)) {
            assertThat(left).isEmpty();
        }
    }

    private static boolean lives(int port) throws InterruptedException {
        try {
            return HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create(
                                                    "http://127.0.0.1:" + port + "/actuator/health/liveness"))
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static String status(JsonNode health, String part) {
        return health.path("components").path(part).path("status").asString();
    }

    @Test
    void takenPortIsReportedWithItsSetting() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LocalProcess process = LocalProcess.java(
                                "server",
                                System.getProperty("java.class.path"),
                                JvmOptions.quickStart("256m"),
                                TandemServer.class.getName(),
                                List.of(
                                        "--server.port=" + taken.getLocalPort(),
                                        "--tandem.redis.uri=redis://127.0.0.1:1",
                                        "--tandem.kafka.bootstrap-servers=127.0.0.1:1",
                                        "--tandem.queues.orders.source=kafka"))
                        .directory(folder)
                        .start()) {
            assertThat(process.awaitExit(PATIENCE)).isTrue();
            assertThat(Files.readString(process.log()))
                    .contains("server.port is '" + taken.getLocalPort() + "'")
                    .doesNotContain("\tat ");
            assertThat(process.exitStatus()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --tandem.queues.orders.source=pulsar       | tandem.queues.orders.source is 'pulsar': it must be kafka or rabbit
            --tandem.queues.orders.sauce=kafka         | did you mean tandem.queues.orders.source?
            --config=twice.yml                         | the queue orders reads this topic already
            --tandem.queues.orders.max-running=-5      | it must be 0 to 100000
            --config=nowhere.yml                       | there is no file
            --config=broken.yml                        | can't be read at line 3
            """)
    void wrongSettingEndsTheStartWithAShortMessage(String argument, String message) throws IOException {
        Files.writeString(folder.resolve("broken.yml"), "tandem:\n  queues: {\n  - ]\n");
        Files.writeString(folder.resolve("twice.yml"), """
                tandem:
                  queues:
                    orders: { source: kafka }
                    again: { source: kafka, topic: orders }
                """);

        try (LocalProcess process = LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        TandemServer.class.getName(),
                        List.of(argument))
                .directory(folder)
                .start()) {
            assertThat(process.awaitExit(PATIENCE)).isTrue();
            String output = Files.readString(process.log());
            assertThat(output).contains(message).doesNotContain("\tat ");
            assertThat(process.exitStatus()).isEqualTo(argument.contains("nowhere") ? 2 : 1);
        }
    }
}
