package dev.tandem.demo;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.PortReservations;
import dev.tandem.runtime.Tandem;
import dev.tandem.server.credentials.TokenFiles;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./tandem up} beside a program of a person's own, over brokers that are there. */
@Execution(ExecutionMode.CONCURRENT)
class UpIT {

    private static final Pattern API = Pattern.compile("API +(http\\S+)/queues");
    private static final Pattern LOG = Pattern.compile("Its log stays at (\\S+)");
    private static final int SIGINT = 2;

    @TempDir
    private Path folder;

    @Test
    void showsTheQueueOfAProgramAndLeavesItsTasksToIt() throws Exception {
        String queue = UniqueNames.fresh("parcels");
        Queue<String> shipped = new ConcurrentLinkedQueue<>();
        try (LocalProcess up = up("--queue", queue).start();
                Tandem program = Tandem.builder()
                        .kafka(Brokers.kafka().bootstrapServers())
                        .redis(Brokers.redis().uri())
                        .shutdownHook(false)
                        .queue(queue)
                        .handler("ship", String.class, (text, task) -> shipped.add(text))
                        .start()) {
            await().atMost(PATIENCE)
                    .until(() -> API.matcher(Files.readString(up.log())).find());
            String api = first(API, Files.readString(up.log()));
            await().atMost(PATIENCE).until(() -> get(api, "/queues/" + queue).contains("\"state\":\"running\""));
            for (int number = 0; number < 20; number++) {
                submit(api, "/queues/" + queue + "/tasks", "ship", "k-" + number);
            }

            await().atMost(PATIENCE).until(() -> shipped.size() == 20);

            await().atMost(PATIENCE).until(() -> get(api, "/queues/" + queue).contains("\"succeeded\":20"));
            assertThat(get(api, "/queues")).doesNotContain("demo-orders");
            assertThat(program.status().healthy()).isTrue();
        }
    }

    @Test
    void runsAServerWithSettingsOfOnesOwn() throws Exception {
        String queue = UniqueNames.fresh("own");
        Path config = Files.writeString(folder.resolve("own.yml"), """
                tandem:
                  kafka: { bootstrap-servers: "127.0.0.1:1" }
                  queues:
                    %s: { source: kafka, handler: log, partitions: 2 }
                """.formatted(queue));
        try (LocalProcess up = up("--config", config.toString()).start()) {
            await().atMost(PATIENCE)
                    .until(() -> API.matcher(Files.readString(up.log())).find());
            String api = first(API, Files.readString(up.log()));
            submit(api, "/queues/" + queue + "/tasks", "log", "k-1");

            await().atMost(PATIENCE).until(() -> get(api, "/queues/" + queue).contains("\"succeeded\":1"));
            assertThat(get(api, "/queues")).doesNotContain("demo-orders");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void anEndThatIsAskedForIsNoFailure(String signal) throws Exception {
        assumeFalse(
                signal.equals("INT") && ignoresInterrupts(), "A shell in the background has its programs ignore it");
        try (LocalProcess up = up("--queue", UniqueNames.fresh("parcels")).start()) {
            await().atMost(PATIENCE)
                    .until(() -> API.matcher(Files.readString(up.log())).find());
            List<ProcessHandle> children =
                    ProcessHandle.of(up.pid()).orElseThrow().children().toList();
            assertThat(children).as("the server, and what watches it").hasSizeGreaterThan(1);

            assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(up.pid()))
                            .start()
                            .waitFor())
                    .isZero();

            assertThat(up.awaitExit(PATIENCE)).as(up.logTail()).isTrue();
            assertThat(up.exitStatus()).as(up.logTail()).isZero();
            await().atMost(PATIENCE).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    /** Returns whether this JVM was started with SIGINT ignored, which its children inherit. */
    private static boolean ignoresInterrupts() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .map(line -> line.substring("SigIgn:".length()).strip())
                        .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & 1 << (SIGINT - 1)) != 0);
    }

    @Test
    void saysWhyTheServerDidNotStartAndKeepsItsLog() throws IOException {
        try (LocalProcess up = up("--queue", "parcels")
                .environment("TANDEM_LOGPAYLOADS", "perhaps")
                .start()) {
            assertThat(up.awaitExit(PATIENCE)).as(up.logTail()).isTrue();

            String output = Files.readString(up.log());
            assertThat(up.exitStatus()).as(output).isEqualTo(1);
            assertThat(output).contains("perhaps").doesNotContain("Ctrl-C ends it");
            Path log = Path.of(first(LOG, output));
            assertThat(log).content().contains("perhaps");
        }
    }

    private LocalProcess.Builder up(String... options) {
        List<String> line = new ArrayList<>(List.of(
                "up",
                "--no-amqp",
                "--kafka",
                Brokers.kafka().bootstrapServers(),
                "--redis",
                Brokers.redis().uri(),
                // The folder of this test hides the ports that other tests have reserved.
                "--port",
                String.valueOf(PortReservations.reserve())));
        line.addAll(List.of(options));
        return LocalProcess.java(
                        "up",
                        System.getProperty("java.class.path"),
                        // The log that it keeps goes with the folder of this test.
                        JvmOptions.quickStart("256m", "-Djava.io.tmpdir=" + folder),
                        DemoCli.class.getName(),
                        line)
                .environment("XDG_CONFIG_HOME", folder.toString())
                .directory(folder);
    }

    private static String first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return found.group(1);
    }

    private void submit(String api, String path, String type, String key) throws Exception {
        HttpRequest request = request(api, path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(
                        "{\"payloadText\": \"a parcel\", \"type\": \"" + type + "\", \"key\": \"" + key + "\"}"))
                .build();
        var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    /** Returns a request with the token that commands of this user would send. */
    private HttpRequest.Builder request(String api, String path) throws IOException {
        Path tokens = TokenFiles.folder(name -> folder.toString());
        String token = TokenFiles.read(TokenFiles.file(tokens, URI.create(api))).orElse("none yet");
        return HttpRequest.newBuilder(URI.create(api + path)).header("Authorization", "Bearer " + token);
    }

    private String get(String api, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(request(api, path).build(), BodyHandlers.ofString())
                .body();
    }
}
