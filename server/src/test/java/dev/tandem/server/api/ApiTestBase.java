package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.console.ConsoleConfiguration;
import dev.tandem.server.doctor.Doctor;
import dev.tandem.server.findings.Finding;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.LocalQueues;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.OwnerGaps;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.security.SecurityConfiguration;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.store.RunningTask;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
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

/** Starts the API over real HTTP, with an {@link InMemoryPlatform} behind it. */
abstract class ApiTestBase {

    /** The minute that it is for the statistics: 2027-01-15T08:07. */
    static final long NOW_MINUTE = 30_000_007;

    static final InMemoryPlatform PLATFORM = new InMemoryPlatform();
    static final InMemoryKeyLog LOG = new InMemoryKeyLog();
    static final InMemorySchedules SCHEDULES = new InMemorySchedules();
    static final InMemoryPartitions PARTITIONS = new InMemoryPartitions();
    static final InMemoryFanOuts FAN_OUTS = new InMemoryFanOuts();
    static final InMemoryOperations OPERATIONS = new InMemoryOperations();
    static final InMemoryPulledTasks PULLED = new InMemoryPulledTasks();
    static final InMemoryTokens TOKENS = new InMemoryTokens();
    static final InMemoryKeyedRequests KEYED = new InMemoryKeyedRequests();
    static final InMemoryAuditLog AUDIT = new InMemoryAuditLog();
    static final InMemoryArchive ARCHIVE = new InMemoryArchive();
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    private static final LocalQueue SLOWED = new LocalQueue(
            null,
            null,
            null,
            "starts are slowed down to 1 a second: 19 of the last 20 attempts failed",
            true,
            false,
            null,
            null,
            OwnerGaps.NONE);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static @Nullable ConfigurableApplicationContext context;
    static int port;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ApiConfiguration.class, ConsoleConfiguration.class, SecurityConfiguration.class})
    static class TestConfiguration {

        @Bean
        TandemSettings settings(ConfigurableEnvironment environment) {
            return SettingsLoader.load(environment);
        }

        @Bean
        InMemoryPlatform platform() {
            return PLATFORM;
        }

        @Bean
        Doctor doctor() {
            return () -> List.of(new Finding(
                    "redis",
                    "redis:6379",
                    "redis-fit",
                    Finding.Level.PROBLEM,
                    "appendonly is off",
                    "set appendonly yes"));
        }

        @Bean
        Dependencies dependencies() {
            return new InMemoryDependencies();
        }

        @Bean
        InMemoryKeyLog keyLog() {
            return LOG;
        }

        @Bean
        InMemorySchedules schedules() {
            return SCHEDULES;
        }

        @Bean
        InMemoryLimits limits() {
            return new InMemoryLimits(PLATFORM);
        }

        @Bean
        InMemoryFanOuts fanOuts() {
            return FAN_OUTS;
        }

        @Bean
        InMemoryOperations operations() {
            return OPERATIONS;
        }

        @Bean
        InMemoryPartitions topicPartitions() {
            return PARTITIONS;
        }

        @Bean
        InMemoryPulledTasks pulledTasks() {
            return PULLED;
        }

        @Bean
        InMemoryTokens tokens() {
            return TOKENS;
        }

        @Bean
        InMemoryKeyedRequests keyedRequests() {
            return KEYED;
        }

        @Bean
        StatisticsReader statisticsReader() {
            return (queue, kept, step, count) -> {
                long until = PLATFORM.minute - Math.floorMod(PLATFORM.minute, (long) step) + step;
                return QueueStatistics.of(step, until, count, PLATFORM.statistics.getOrDefault(queue, List.of()));
            };
        }

        @Bean
        InMemoryAuditLog auditLog() {
            return AUDIT;
        }

        @Bean
        InMemoryArchive archive() {
            return ARCHIVE;
        }

        /** Hides tasks of one type. */
        @Bean
        PayloadMasks payloadMasks(TandemSettings settings) {
            return new PayloadMasks(
                    settings.queues(), (queue, type, payload) -> "photo".equals(type) ? bytes("a photo") : payload);
        }

        @Bean
        LocalQueues localQueues() {
            return queue -> queue.equals("mail") ? SLOWED : LocalQueue.GOOD;
        }

        @Bean
        Backlog backlog() {
            return new InMemoryBacklog();
        }
    }

    /** Starts the API at the first class of tests. The others share it, since the start takes longer than most of their tests. */
    @BeforeAll
    static void start() {
        if (context == null) {
            context = run("none");
            port = port(context);
        }
    }

    /** Starts the API. @param login {@code tandem.api.login} @param more further settings, which come last */
    static ConfigurableApplicationContext run(String login, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--tandem.api.login=" + login,
                "--tandem.api.token-file=stdout",
                "--tandem.queues.orders.source=kafka",
                "--tandem.queues.orders.handler=noop",
                "--tandem.queues.orders.max-blocked-keys=1",
                "--tandem.queues.orders.events.enabled=true",
                "--tandem.queues.mail.source=rabbit",
                "--tandem.queues.mail.mask=/card/number,/customers/*/email",
                "--tandem.queues.exports.source=kafka",
                "--tandem.queues.exports.handler=pull",
                "--tandem.max-payload=1KB"));
        arguments.addAll(List.of(more));
        return SpringApplication.run(TestConfiguration.class, arguments.toArray(String[]::new));
    }

    static <T> T bean(String name, Class<T> type) {
        return Objects.requireNonNull(context).getBean(name, type);
    }

    static int port(ConfigurableApplicationContext api) {
        return ((WebServerApplicationContext) api).getWebServer().getPort();
    }

    @BeforeEach
    void reset() {
        forgetAll();
    }

    /** Puts all that the routes stand on back to its beginning. */
    static void forgetAll() {
        TOKENS.reset();
        forgetContent();
    }

    /** Puts back all but the tokens. */
    static void forgetContent() {
        PLATFORM.reset();
        LOG.reset();
        SCHEDULES.reset();
        PARTITIONS.count = 8;
        PARTITIONS.onGrow = () -> {};
        FAN_OUTS.reset();
        OPERATIONS.reset();
        PULLED.reset();
        KEYED.reset();
        AUDIT.reset();
        ARCHIVE.reset();
    }

    static void put(String partition, String position, TaskState state, Task task) {
        put(info(partition, position, state, task, null));
    }

    static void put(TaskInfo task) {
        PLATFORM.tasks.put(task.ref(), task);
    }

    static TaskInfo info(String partition, String position, TaskState state, Task task, @Nullable TaskRef head) {
        return new TaskInfo(
                new TaskRef(partition, position),
                state,
                Instant.parse("2026-11-20T10:00:00Z"),
                task.key(),
                2,
                null,
                head,
                new Envelope(task, 2, 9, "it failed"),
                null,
                AttemptHistory.of(task),
                TaskNotes.NONE);
    }

    /** Makes a claim of a task of which only the broker has more. @param second when it was made */
    static void claim(String queue, String position, String executor, int second) {
        TaskInfo task = new TaskInfo(
                new TaskRef("0", position),
                TaskState.ACTIVE,
                Instant.parse("2026-11-20T10:00:00Z").plusSeconds(second),
                "customer-" + second,
                1,
                executor,
                null,
                null,
                null,
                List.of(),
                new TaskNotes(new TaskNotes.Progress(1_800_000_000_000L, 1, 4, 10, "of card 4711"), List.of(), null));
        PLATFORM.claimed
                .computeIfAbsent(queue, none -> new ArrayList<>())
                .add(new ClaimedTask(task, Instant.parse("2026-11-20T10:02:00Z")));
    }

    /** Has an executor say that it runs a task, or that a pull worker has it. */
    static void tell(String executor, String queue, String position, String id, @Nullable String worker) {
        TaskPlace place = new TaskRef("0", position).in(queue);
        long since = Instant.parse("2026-11-20T10:00:30Z").toEpochMilli();
        PLATFORM.told
                .computeIfAbsent(executor, none -> new ArrayList<>())
                .add(new RunningTask(
                        place,
                        id,
                        "ship",
                        "customer-of-" + position,
                        3,
                        since,
                        null,
                        worker == null ? null : new RunningTask.Worker(worker, since + 60_000)));
    }

    static Task named(String id) {
        return new Task(id, "orders", null, "k", bytes("x"), Map.of(), 0, 0, 0, 0, null);
    }

    static KeyInfo key(String key) {
        TaskRef head = new TaskRef("0", "1:1");
        TaskInfo task = info("0", "1:1", TaskState.DEAD, Task.of("orders", key, bytes("x")), head);
        return new KeyInfo(key, "0", BlockReason.HALTED, Instant.parse("2026-11-20T10:00:00Z"), head, 3, task);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    static JsonNode get(String path, int status) {
        return send("GET", path, null, null, status);
    }

    static String body(String path) {
        return text(HttpRequest.newBuilder(uri(path)), 200);
    }

    static JsonNode post(String path, int status) {
        return send("POST", path, null, null, status);
    }

    static JsonNode json(String path, String body, int status) {
        return send("POST", path, "application/json", body, status);
    }

    static JsonNode send(String method, String path, String contentType, String body, int status) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (contentType != null) {
            request.header("Content-Type", contentType);
        }
        return send(request, status);
    }

    static JsonNode send(HttpRequest.Builder request, int status) {
        return JSON.readTree(text(request, status));
    }

    private static String text(HttpRequest.Builder request, int status) {
        try {
            HttpRequest made = request.timeout(Duration.ofSeconds(30)).build();
            HttpResponse<String> response = HTTP.send(made, BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            String type = response.headers().firstValue("Content-Type").orElse("");
            assertThat(type).isEqualTo(status < 300 ? "application/json" : "application/problem+json");
            OpenApiAnswers.check(made.method(), made.uri().getRawPath(), status, response.body());
            return response.body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
