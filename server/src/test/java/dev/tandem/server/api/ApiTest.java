package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.settings.SettingsLoader;
import dev.tandem.server.settings.TandemSettings;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** The API over real HTTP, with tasks in memory behind it. */
class ApiTest {

    private static final InMemoryPlatform PLATFORM = new InMemoryPlatform();
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext context;
    private static int port;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ApiConfiguration.class)
    static class Parts {

        @Bean
        TandemSettings settings(ConfigurableEnvironment environment) {
            return SettingsLoader.load(environment);
        }

        @Bean
        InMemoryPlatform desk() {
            return PLATFORM;
        }

        @Bean
        Backlog backlog() {
            return queue -> queue.equals("orders") ? Map.of("0", 7L, "2", 5L) : Map.of();
        }
    }

    @BeforeAll
    static void start() {
        context = SpringApplication.run(
                Parts.class,
                "--server.port=0",
                "--tandem.queues.orders.source=kafka",
                "--tandem.queues.orders.handler=noop",
                "--tandem.queues.mail.source=rabbit",
                "--tandem.max-payload=1KB");
        port = ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void reset() {
        PLATFORM.reset();
    }

    @Test
    void queuesAreShownWithWhatWaits() {
        JsonNode queues = get("/api/v1/queues", 200).path("queues");

        assertThat(queues.size()).isEqualTo(2);
        // The command line has no order.
        JsonNode orders = queues.get(queues.get(0).path("name").asString().equals("orders") ? 0 : 1);
        JsonNode mail = queues.get(orders.equals(queues.get(0)) ? 1 : 0);
        assertThat(orders.path("name").asString()).isEqualTo("orders");
        assertThat(orders.path("source").asString()).isEqualTo("kafka");
        assertThat(orders.path("ordering").asString()).isEqualTo("key");
        assertThat(orders.path("lag").asLong()).isEqualTo(12);
        assertThat(orders.path("blockedKeys").asLong()).isEqualTo(1);
        assertThat(orders.path("counts").path("active").asLong()).isEqualTo(2);
        assertThat(orders.path("counts").path("dead").asLong()).isEqualTo(5);
        assertThat(orders.path("totals").path("retried").asLong()).isEqualTo(8);
        assertThat(mail.has("lag")).as("unknown").isFalse();
        assertThat(mail.has("partitions")).isFalse();
    }

    @Test
    void aQueueHasThePartitionsThatRedisAndItsBrokerKnow() {
        JsonNode partitions = get("/api/v1/queues/orders", 200).path("partitions");

        assertThat(partitions.size()).isEqualTo(3);
        assertThat(partitions.get(0).path("owner").asString()).isEqualTo("host-1");
        assertThat(partitions.get(0).path("lag").asLong()).isEqualTo(7);
        assertThat(partitions.get(1).has("owner")).isFalse();
        assertThat(partitions.get(2).path("partition").asString()).isEqualTo("2");
    }

    @Test
    void anUnknownQueueIsNotFoundAndTheKnownOnesAreNamed() {
        for (String path : List.of(
                "/api/v1/queues/order", "/api/v1/queues/order/tasks?state=dead", "/api/v1/queues/order/keys/a")) {
            JsonNode problem = get(path, 404);
            assertThat(problem.path("detail").asString()).isEqualTo("There is no queue 'order'");
            assertThat(problem.path("remedy").asString()).contains("orders", "mail");
            assertThat(problem.path("status").asInt()).isEqualTo(404);
        }
    }

    @Test
    void tasksComeInPages() {
        for (int i = 0; i < 3; i++) {
            put(
                    "0",
                    "1:" + i,
                    TaskState.DEAD,
                    Task.of("orders", "k", bytes("x")).withType("t"));
        }

        JsonNode first = get("/api/v1/queues/orders/tasks?state=dead&limit=2", 200);
        JsonNode second = get(
                "/api/v1/queues/orders/tasks?state=dead&limit=2&cursor="
                        + first.path("next").asString(),
                200);

        assertThat(first.path("tasks").size()).isEqualTo(2);
        assertThat(second.path("tasks").size()).isEqualTo(1);
        assertThat(second.has("next")).isFalse();
        JsonNode task = first.path("tasks").get(0);
        assertThat(task.path("ref").asString()).isEqualTo("@0/1:0");
        assertThat(task.path("id").asString()).isEqualTo("orders:0:0");
        assertThat(task.path("state").asString()).isEqualTo("dead");
        assertThat(task.path("error").asString()).isEqualTo("it failed");
        assertThat(task.path("at").asString()).isEqualTo("2026-11-20T10:00:00Z");
        assertThat(task.has("payload")).as("not in lists").isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /api/v1/queues/orders/tasks                      | state
            /api/v1/queues/orders/tasks?state=gone           | active, dead, parked, retry, scheduled, succeeded
            /api/v1/queues/orders/tasks?state=dead&limit=0   | 1 to 500
            /api/v1/queues/orders/tasks?state=dead&limit=x   | limit
            /api/v1/queues/orders/tasks?state=dead&cursor=x  | cursor
            """)
    void aBadParameterIsNamed(String path, String named) {
        assertThat(get(path, 400).toString()).contains(named);
    }

    @Test
    void oneTaskIsShownWithItsPayloadAsItIs() {
        put("0", "1:1", TaskState.RETRY, Task.of("orders", "k", bytes("{\"n\":1.10}")));
        put("0", "1:2", TaskState.RETRY, Task.of("orders", "k", bytes("plain")));
        put("0", "1:3", TaskState.RETRY, Task.of("orders", "k", new byte[] {(byte) 0xff, 1}));

        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:1", 200)
                        .path("payload")
                        .toString())
                .isEqualTo("{\"n\":1.10}");
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:2", 200)
                        .path("payloadText")
                        .asString())
                .isEqualTo("plain");
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:3", 200)
                        .path("payloadBase64")
                        .asString())
                .isEqualTo("/wE=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order%2F7", "a%20b", "50%25", "%C3%A4", "a%5Cb", "x%3By=1", "..%2F..", "a+b", "%3F%23"})
    void idsAndKeysMayHaveAnyCharacters(String encoded) {
        String id = java.net.URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        put("0", "1:1", TaskState.DEAD, named(id));
        PLATFORM.keys.put(id, key(id));

        assertThat(get("/api/v1/queues/orders/tasks/" + encoded, 200).path("id").asString())
                .isEqualTo(id);
        post("/api/v1/queues/orders/tasks/" + encoded + "/retry", 202);
        post("/api/v1/queues/orders/keys/" + encoded + "/skip", 202);
        assertThat(get("/api/v1/queues/orders/keys/" + encoded, 200).path("key").asString())
                .isEqualTo(id);

        assertThat(PLATFORM.changes).containsExactly("retry orders @0/1:1", "SKIP orders " + id);
    }

    @Test
    void anIdThatSeveralTasksCarryIsAnsweredWithTheirRefs() {
        put("0", "1:1", TaskState.DEAD, named("same"));
        put("1", "1:5", TaskState.DEAD, named("same"));

        JsonNode problem = post("/api/v1/queues/orders/tasks/same/retry", 409);

        assertThat(problem.path("remedy").asString()).contains("@0/1:1", "@1/1:5");
        assertThat(PLATFORM.changes).isEmpty();
    }

    @Test
    void changesAreAcceptedOrSayWhyNot() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        put("0", "1:2", TaskState.ACTIVE, named("b"));
        put("0", "1:3", TaskState.SUCCEEDED, named("c"));
        PLATFORM.keys.put("k", key("k"));

        post("/api/v1/queues/orders/tasks/a/retry", 202);
        assertThat(send("DELETE", "/api/v1/queues/orders/tasks/a", null, null, 202)
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
        send("DELETE", "/api/v1/queues/orders/tasks/b", null, null, 409);
        post("/api/v1/queues/orders/tasks/c/retry", 409);
        post("/api/v1/queues/orders/tasks/none/retry", 404);
        post("/api/v1/queues/orders/keys/k/retry", 202);
        post("/api/v1/queues/orders/keys/k/drain", 202);
        post("/api/v1/queues/orders/keys/other/retry", 409);
        post("/api/v1/queues/orders/pause", 202);
        post("/api/v1/queues/orders/resume", 202);

        assertThat(PLATFORM.changes)
                .containsExactly(
                        "retry orders @0/1:1",
                        "delete orders @0/1:1",
                        "RETRY orders k",
                        "DRAIN orders k",
                        "pause orders",
                        "resume orders");
    }

    @Test
    void aKeySaysWhetherItIsBlockedByWhatAndSinceWhen() {
        PLATFORM.keys.put("order/7", key("order/7"));

        JsonNode blocked = get("/api/v1/queues/orders/keys/order%2F7", 200);
        JsonNode open = get("/api/v1/queues/orders/keys/order%2F8", 200);

        assertThat(blocked.path("blocked").asBoolean()).isTrue();
        assertThat(blocked.path("why").asString()).isEqualTo("halted");
        assertThat(blocked.path("head").asString()).isEqualTo("@0/1:1");
        assertThat(blocked.path("parked").asLong()).isEqualTo(3);
        assertThat(open.path("blocked").asBoolean(true)).isFalse();
        assertThat(open.size()).isEqualTo(2);
    }

    @Test
    void executorsAreShown() {
        JsonNode executor = get("/api/v1/executors", 200).path("executors").get(0);

        assertThat(executor.path("id").asString()).isEqualTo("host-1");
        assertThat(executor.path("queues").get(0).path("partitions").asInt()).isEqualTo(2);
    }

    @Test
    void aTaskIsPublishedAsItWasDescribed() {
        JsonNode answer = json("/api/v1/queues/orders/tasks", """
                {"payload": {"total": 12}, "type": "t", "key": "customer/7", "id": "order-7", "delay": "PT30S",
                 "timeout": 5000, "maxAttempts": 3, "dedupKey": "d", "headers": {"x-tenant": "acme"}}
                """, 202);

        assertThat(answer.path("id").asString()).isEqualTo("order-7");
        assertThat(PLATFORM.published).hasSize(1);
        Task task = PLATFORM.published.get(0);
        assertThat(new String(task.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"total\":12}");
        assertThat(task.type()).isEqualTo("t");
        assertThat(task.key()).isEqualTo("customer/7");
        assertThat(task.timeoutMillis()).isEqualTo(5_000);
        assertThat(task.maxAttempts()).isEqualTo(3);
        assertThat(task.dedupKey()).isEqualTo("d");
        assertThat(task.notBefore() - task.publishedAt()).isEqualTo(30_000);
        assertThat(task.headers()).containsEntry("x-tenant", "acme").containsEntry("content-type", "application/json");
    }

    @Test
    void everythingIsOptional() {
        assertThat(json("/api/v1/queues/orders/tasks", "{}", 202).path("id").asString())
                .isEqualTo("orders:0:17");
        assertThat(PLATFORM.published.get(0).payload()).isEmpty();
    }

    @Test
    void aBodyOfAnotherKindIsThePayloadItself() {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/v1/queues/mail/tasks"))
                .header("Content-Type", "text/csv")
                .header("Tandem-Id", "row-1")
                .header("Tandem-Key", "a")
                .header("X-Other", "stays here")
                .POST(BodyPublishers.ofString("1;2;3"));

        send(request, 202);

        Task task = PLATFORM.published.get(0);
        assertThat(new String(task.payload(), StandardCharsets.UTF_8)).isEqualTo("1;2;3");
        assertThat(task.id()).isEqualTo("row-1");
        assertThat(task.key()).isEqualTo("a");
        assertThat(task.headers()).containsOnly(Map.entry("content-type", "text/csv"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"delay": "soon"}                          | PT30S
            {"notBefore": "tomorrow"}                  | 2030-01-31T08:00:00Z
            {"maxAttempts": 0}                         | 1 to 1000000
            {"maxAttempts": [1]}                       | not a task as JSON
            {"payloadBase64": "?"}                     | Base64
            {"payload": 1, "payloadText": "2"}         | one of them
            {"priority": 9}                            | priority
            {"payload":                                | not a task as JSON
            null                                       | null
            []                                         | not a task as JSON
            {"id": "a\\u0000b"}                        | control characters
            """)
    void whatCantBeReadIsRefusedBeforeItIsPublished(String body, String named) {
        assertThat(json("/api/v1/queues/orders/tasks", body, 400).toString()).contains(named);
        assertThat(PLATFORM.published).isEmpty();
    }

    @Test
    void aPayloadOverTheLimitIsRefused() {
        String large = "x".repeat(1_025);
        send(
                HttpRequest.newBuilder(uri("/api/v1/queues/orders/tasks"))
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(large)),
                413);
        JsonNode problem = json("/api/v1/queues/orders/tasks", "{\"payloadText\": \"" + large + "\"}", 400);

        assertThat(problem.path("detail").asString()).contains("1025 bytes").contains("1024");
        json("/api/v1/queues/orders/tasks", " ".repeat(1_000_000), 413);
        assertThat(PLATFORM.published).isEmpty();
    }

    @Test
    void whereRedisOrTheBrokerCantBeReachedItSaysSo() {
        PLATFORM.trouble = new UnavailableException("Redis at redis://localhost:6379 can't be reached");

        assertThat(get("/api/v1/queues", 503).path("detail").asString()).startsWith("Redis at");
        assertThat(json("/api/v1/queues/orders/tasks", "{}", 503).path("remedy").asString())
                .contains("Send it again");
    }

    @Test
    void anErrorFromInsideTellsNothingOfIt() {
        PLATFORM.trouble = new IllegalStateException("secret");

        JsonNode problem = get("/api/v1/queues", 500);

        assertThat(problem.toString()).doesNotContain("secret").contains("log");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/nothing, 404",
        "GET, /nothing, 404",
        "DELETE, /api/v1/queues, 405",
        "POST, /api/v1/queues/orders/tasks/a, 405"
    })
    void everyErrorHasTheSameForm(String method, String path, int status) {
        JsonNode problem = send(method, path, null, null, status);

        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotEmpty();
    }

    @Test
    void pagesOfOtherSitesGetNowhere() throws IOException {
        send(
                HttpRequest.newBuilder(uri("/api/v1/queues/orders/pause"))
                        .header("Origin", "http://evil.example")
                        .POST(BodyPublishers.noBody()),
                403);
        assertThat(rebound()).startsWith("HTTP/1.1 403");
        assertThat(PLATFORM.changes).isEmpty();
    }

    /** The client would not send such a Host. */
    private static String rebound() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(bytes("GET /api/v1/queues HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    // ---- Helpers

    private static void put(String partition, String position, TaskState state, Task task) {
        TaskRef ref = new TaskRef(partition, position);
        PLATFORM.tasks.put(
                ref,
                new TaskInfo(
                        ref,
                        state,
                        Instant.parse("2026-11-20T10:00:00Z"),
                        task.key(),
                        2,
                        null,
                        new Envelope(task, 2, 9, "it failed")));
    }

    private static Task named(String id) {
        return new Task(id, "orders", null, "k", bytes("x"), Map.of(), 0, 0, 0, 0, null);
    }

    private static KeyInfo key(String key) {
        return new KeyInfo(key, "0", "halted", Instant.parse("2026-11-20T10:00:00Z"), new TaskRef("0", "1:1"), 3);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static JsonNode get(String path, int status) {
        return send("GET", path, null, null, status);
    }

    private static JsonNode post(String path, int status) {
        return send("POST", path, null, null, status);
    }

    private static JsonNode json(String path, String body, int status) {
        return send("POST", path, "application/json", body, status);
    }

    private static JsonNode send(String method, String path, String contentType, String body, int status) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (contentType != null) {
            request.header("Content-Type", contentType);
        }
        return send(request, status);
    }

    private static JsonNode send(HttpRequest.Builder request, int status) {
        try {
            HttpResponse<String> response =
                    HTTP.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            String type = response.headers().firstValue("Content-Type").orElse("");
            assertThat(type).isEqualTo(status < 300 ? "application/json" : "application/problem+json");
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
