package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The commands, against a server with prepared answers. */
class TandemCliTest {

    /** Fails if there is more than one document. */
    private static final JsonMapper EXACT = ApiClient.JSON
            .rebuild()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final PreparedServer server = new PreparedServer();
    private final List<String> requests = server.requests;
    private final Map<String, String> answers = server.answers;
    private final StringWriter out = server.out;
    private final StringWriter err = server.err;

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void queuesArePrintedAsATable() {
        answers.put("GET /api/v1/queues", """
                {"queues": [
                  {"name": "orders", "source": "kafka", "ordering": "key", "state": "running", "lag": 12, "blockedKeys": 20,
                   "haltedKeys": 16, "haltedKeysPartial": true, "oldestWaitMillis": 83200,
                   "limit": {"max": 50, "running": 26, "waiting": 4}, "counts": {"active": 3, "scheduled": 100, "retry": 2, "parked": 7, "dead": 1, "succeeded": 5}},
                  {"name": "mail", "source": "rabbit", "ordering": "none", "state": "no broker",
                   "problems": ["RabbitMQ: no answer"], "blockedKeys": 0, "haltedKeys": 0,
                   "counts": {"active": 0, "scheduled": 0, "retry": 0, "parked": 0, "dead": 0, "succeeded": 0}}]}
                """);

        assertThat(run("queues")).isZero();

        assertThat(out.toString()).isEqualTo("""
                        QUEUE   SOURCE  ORDERING  LAG  OLDEST  ACTIVE  SCHEDULED  RETRY  PARKED  DEAD  BLOCKED  HALTED  RUNNING/MAX  STATE
                        orders  kafka   key        12  83s          3        100      2       7     1       20     16+  26/50        running
                        mail    rabbit  none        -  -            0          0      0       0     0        0       0  -            no broker
                        mail: RabbitMQ: no answer
                        """);
    }

    @Test
    void oneQueueSaysWhatIsWrong() {
        answers.put("GET /api/v1/queues/orders", """
                {"name": "orders", "state": "slowed", "problems": ["In this server, starts are slowed down to 1 a\
                 second: 100 of the last 100 attempts failed"], "counts": {}, "partitions": []}
                """);

        assertThat(run("queues", "orders")).isZero();

        assertThat(out.toString())
                .contains("slowed")
                .contains("In this server, starts are slowed down to 1 a second: 100 of the last 100 attempts failed");
    }

    @Test
    void partitionsSayWhatTheirOwnersHaveInMemory() {
        answers.put("GET /api/v1/queues/orders", """
                {"name": "orders", "state": "running", "counts": {}, "partitions": [
                  {"partition": "0", "owner": "web-1", "oldestWaitMillis": 0, "memory": {"tasks": 412, "bytes": 335700}},
                  {"partition": "1", "owner": "web-2", "memory": {"tasks": 7}}, {"partition": "2"}]}
                """);

        assertThat(run("queues", "orders")).isZero();

        assertThat(out.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains(
                        "PARTITION OWNER LAG OLDEST ACTIVE SCHEDULED RETRY PARKED DEAD BLOCKED IN MEMORY BYTES",
                        "0 web-1 - none - - - - - - 412 335700",
                        "1 web-2 - - - - - - - - 7 -",
                        "2 - - - - - - - - - - -");
    }

    @Test
    void jsonOutputIsTheServersAnswer() {
        answers.put("GET /api/v1/executors", "{\"executors\":[{\"id\":\"a\"}]}");

        assertThat(run("executors", "-o", "json")).isZero();

        assertThat(ApiClient.JSON
                        .readTree(out.toString())
                        .path("executors")
                        .get(0)
                        .path("id")
                        .asString())
                .isEqualTo("a");
    }

    @Test
    void taskIsSubmittedWithAllItsOptions() {
        answers.put("POST /api/v1/queues/orders/tasks", "{\"id\":\"order-7\"}");

        int exit = run(
                "submit",
                "orders",
                "--payload",
                "{\"total\": 12}",
                "--id",
                "order-7",
                "--key",
                "a/b",
                "--delay",
                "PT30S",
                "--type",
                "t",
                "--max-attempts",
                "3",
                "--header",
                "x-tenant=acme");

        assertThat(exit).isZero();
        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/queues/orders/tasks"
                                + " {\"id\":\"order-7\",\"type\":\"t\",\"key\":\"a/b\",\"delay\":\"PT30S\",\"maxAttempts\":3,"
                                + "\"headers\":{\"x-tenant\":\"acme\",\"content-type\":\"application/json\"},"
                                + "\"payloadBase64\":\"eyJ0b3RhbCI6IDEyfQ==\"}",
                        "GET /api/v1/executors");
        assertThat(out.toString()).isEqualTo("Published to orders as order-7\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"price\": 1.10, \"exact\": 0.12345678901234567890123456789}\n",
                " 1e400 ",
                "{\"a\": 1} and more"
            })
    void payloadKeepsItsBytes(String payload) throws IOException {
        Path file = Files.writeString(folder.resolve("payload"), payload);

        run("submit", "orders", "--file", file.toString());

        String json = payload.contains("more") ? "" : "\"headers\":{\"content-type\":\"application/json\"},";
        assertThat(requests)
                .containsExactly("POST /api/v1/queues/orders/tasks {" + json + "\"payloadBase64\":\""
                        + Base64.getEncoder().encodeToString(payload.getBytes(StandardCharsets.UTF_8)) + "\"}");
    }

    @Test
    void payloadThatIsNotJsonIsSentAsBase64() throws IOException {
        Path file = Files.write(folder.resolve("payload"), new byte[] {1, 2, 3});

        run("submit", "orders", "--file", file.toString());
        run("submit", "orders", "--payload", "1", "--content-type", "text/plain");

        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/queues/orders/tasks {\"payloadBase64\":\"AQID\"}",
                        "POST /api/v1/queues/orders/tasks"
                                + " {\"headers\":{\"content-type\":\"text/plain\"},\"payloadBase64\":\"MQ==\"}");
    }

    @Test
    void namesInPathsAreEncoded() {
        run("tasks", "orders", "order/7 ä%");
        run("keys", "show", "orders", "..");
        run("keys", "skip", "orders", "a;b");

        assertThat(requests)
                .containsExactly(
                        "GET /api/v1/queues/orders/tasks/order%2F7%20%C3%A4%25",
                        "GET /api/v1/queues/orders/keys/%2E%2E",
                        "GET /api/v1/queues/orders/keys/a%3Bb",
                        "POST /api/v1/queues/orders/keys/a%3Bb/skip");
    }

    @Test
    void aTaskIsShownWithItsAttempts() {
        answers.put(
                "GET /api/v1/queues/orders/tasks/order-7",
                "{\"id\":\"order-7\",\"state\":\"succeeded\",\"history\":["
                        + "{\"attempt\":1,\"at\":\"2026-11-20T10:00:00Z\",\"durationMillis\":30,\"executor\":\"web-1\","
                        + "\"error\":\"HTTP status 500\"},{\"attempt\":2,\"executor\":\"web-2\"}]}");

        run("tasks", "orders", "order-7");

        assertThat(out.toString())
                .contains("id: order-7\nstate: succeeded\n\nATTEMPT  STARTED")
                .containsPattern("1 .* 30 +web-1 +HTTP status 500\n")
                .containsPattern("2 .* web-2 +-\n");
    }

    @Test
    void allPagesAreReadWithTheOptionAll() {
        String first = "GET /api/v1/queues/orders/tasks?state=dead&limit=1";
        answers.put(first, "{\"tasks\":[{\"id\":\"a\",\"at\":\"2026-11-20T10:00:00Z\"}],\"next\":\"x y\"}");
        answers.put(first + "&cursor=x%20y", "{\"tasks\":[{\"id\":\"b\"}]}");

        run("dead", "list", "orders", "--limit", "1");
        assertThat(requests).hasSize(1);
        assertThat(out.toString()).contains("There are more: --cursor x y, or --all");

        run("dead", "list", "orders", "--limit", "1", "--all");
        assertThat(requests).hasSize(3);
    }

    @Test
    void allPagesAreOneJsonDocument() {
        String first = "GET /api/v1/queues/orders/tasks?state=dead&limit=1";
        answers.put(first, "{\"tasks\":[{\"id\":\"a\",\"n\":1.10}],\"next\":\"x\",\"total\":2}");
        answers.put(first + "&cursor=x", "{\"tasks\":[{\"id\":\"b\"},{\"id\":\"c\"}],\"total\":2}");

        assertThat(run("dead", "list", "orders", "--limit", "1", "--all", "-o", "json"))
                .isZero();

        assertThat(EXACT.readTree(out.toString()).toString())
                .isEqualTo("{\"total\":2,\"tasks\":[{\"id\":\"a\",\"n\":1.10},{\"id\":\"b\"},{\"id\":\"c\"}]}");
    }

    @Test
    void aPageWithoutAnEntryIsADocumentToo() {
        answers.put("GET /api/v1/queues/orders/tasks?state=dead&limit=50", "{\"tasks\":[]}");

        assertThat(run("dead", "list", "orders", "--all", "-o", "json")).isZero();

        assertThat(EXACT.readTree(out.toString()).toString()).isEqualTo("{\"tasks\":[]}");
    }

    @Test
    void changingDeadTasksNeedsIdsOrTheOptionAll() {
        assertThat(run("dead", "delete", "orders")).isEqualTo(2);
        assertThat(run("dead", "delete", "orders", "a", "--all")).isEqualTo(2);
        assertThat(requests).isEmpty();

        assertThat(run("dead", "delete", "orders", "a", "b")).isZero();
        assertThat(requests)
                .containsExactly(
                        "DELETE /api/v1/queues/orders/tasks/a?only=dead",
                        "DELETE /api/v1/queues/orders/tasks/b?only=dead");
    }

    @Test
    void pauseAndResumeSendOneRequest() {
        run("pause", "orders");
        run("resume", "orders");

        run("pause", "orders", "--type", "mail");
        run("resume", "orders", "--key", "customer 7");

        assertThat(requests)
                .containsExactly(
                        "POST /api/v1/queues/orders/pause",
                        "POST /api/v1/queues/orders/resume",
                        "POST /api/v1/queues/orders/pause?type=mail",
                        "POST /api/v1/queues/orders/resume?key=customer%207");
    }

    @Test
    void refusalIsPrintedWithItsRemedy() {
        server.status = 404;
        answers.put(
                "GET /api/v1/queues/order",
                "{\"detail\": \"There is no queue 'order'\", \"remedy\": \"This server's settings have orders\"}");

        assertThat(run("queues", "order")).isEqualTo(1);

        assertThat(err.toString()).isEqualTo("tandem: There is no queue 'order'. This server's settings have orders\n");
    }

    @Test
    void unreachableServerHasItsOwnExitStatus() {
        server.close();

        assertThat(run("queues")).isEqualTo(3);
        assertThat(err.toString()).contains("can't be reached").contains("./tandem up");
    }

    @Test
    void answerThatIsNotJsonIsReported() {
        answers.put("GET /api/v1/queues", "<html>");

        assertThat(run("queues")).isEqualTo(1);
        assertThat(err.toString()).contains("is it a Tandem server?");
    }

    @Test
    void controlCharactersAreNotPrinted() {
        answers.put(
                "GET /api/v1/queues/orders/tasks?limit=50",
                "{\"tasks\":[{\"id\":\"a\\u001b[2J\\nb\",\"error\":\"x\\u0007y\"}]}");

        run("tasks", "orders");

        assertThat(out.toString()).doesNotContain("\u001b", "\u0007").contains("a [2J b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "nothing", "submit", "dead", "keys", "queues --server nowhere", "tasks orders --limit x"})
    void wrongUsageHasItsOwnExitStatus(String line) {
        CommandLine cli = server.commandLine();
        assertThat(cli.execute(line.isEmpty() ? new String[0] : line.split(" ")))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void everyCommandHasHelp(List<String> command) {
        List<String> line = new ArrayList<>(command);
        line.add("--help");

        assertThat(server.commandLine().execute(line.toArray(String[]::new))).isZero();

        assertThat(out.toString()).startsWith("Usage: tandem").contains("--help");
    }

    @Test
    void detailThatEndsWithAFullStopGetsNoSecondOne() {
        server.status = 503;
        answers.put(
                "GET /api/v1/queues",
                "{\"detail\": \"Redis is not available: Commands are rejected.\", \"remedy\": \"Try again\"}");

        assertThat(run("queues")).isEqualTo(CliException.REFUSED);

        assertThat(err.toString()).isEqualTo("tandem: Redis is not available: Commands are rejected. Try again\n");
    }

    @Test
    void unknownCommandIsRefusedWithAHintToAllCommands() {
        assertThat(run("quues")).isEqualTo(CliException.USAGE);

        assertThat(err.toString())
                .contains("Unmatched arguments")
                .contains("'quues'")
                .endsWith("`./tandem --help` lists all commands.\n");
    }

    static Stream<List<String>> everyCommand() {
        return paths(TandemCli.commandLine(), List.of());
    }

    private static Stream<List<String>> paths(CommandLine command, List<String> path) {
        return Stream.concat(
                Stream.of(path), command.getSubcommands().entrySet().stream().flatMap(sub -> {
                    List<String> longer = new ArrayList<>(path);
                    longer.add(sub.getKey());
                    return paths(sub.getValue(), longer);
                }));
    }

    private int run(String... command) {
        return server.run(command);
    }
}
