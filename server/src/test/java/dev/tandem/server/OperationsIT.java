package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalProcess;
import dev.tandem.local.PortReservations;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Operations on thousands of tasks, in queues of both brokers, asked of a server that runs no tasks. */
@Execution(ExecutionMode.CONCURRENT)
class OperationsIT {

    private static final int KEYS = 20;
    private static final int PER_KEY = 60;
    private static final int TASKS = KEYS * PER_KEY;

    private static final Map<String, String> QUEUES =
            Map.of("kafka", UniqueNames.fresh("bulk"), "rabbit", UniqueNames.fresh("bulk"));

    private static RecordingEndpoint endpoint;
    private static TwoServers servers;
    private static RunningServer executor;
    private static RunningServer asked;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings(QUEUES.keySet().toArray(String[]::new));
        QUEUES.forEach((source, queue) -> {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", source);
            settings.put(at + "partitions", "3");
            settings.put(at + "ordering", "key");
            settings.put(at + "dead-head", "skip");
            settings.put(at + "breaker.enabled", "false");
            settings.put(at + "handler", "http");
            settings.put(at + "http.url", endpoint.url());
            settings.put(at + "http.dead-on", "410");
        });
        servers = new TwoServers(endpoint, settings);
        executor = servers.executor;
        asked = servers.asked;
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @ValueSource(strings = {"kafka", "rabbit"})
    void allDeadTasksAreRetriedAndTheTasksOfAKeyRunInTheirOrder(String source) {
        String queue = QUEUES.get(source);
        String prefix = UniqueNames.fresh("t");
        for (int i = 0; i < TASKS; i++) {
            endpoint.reply(id(prefix, i), 410, null);
        }
        publish(queue, prefix, 0);
        await().atMost(PATIENCE).until(() -> counts(queue).path("dead").asInt() == TASKS);

        assertThat(run(queue, "action=retry&dry-run=true&key=" + prefix + "-k3")
                        .path("matched")
                        .asInt())
                .isEqualTo(PER_KEY);
        for (int i = 0; i < TASKS; i++) {
            endpoint.accept(id(prefix, i));
        }
        JsonNode ended = run(queue, "action=retry&error=status%20410");
        assertThat(ended.path("changed").asInt()).isEqualTo(TASKS);
        assertThat(ended.path("refused").asInt()).isZero();
        assertThat(ended.path("partitionsDone").asInt())
                .isEqualTo(ended.path("partitions").asInt());

        await().atMost(PATIENCE).until(() -> calls(prefix) == 2 * TASKS);
        Map<String, List<Integer>> orders = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            List<RecordingEndpoint.Call> calls = endpoint.callsOfKey(prefix + "-k" + key);
            // Each task died first.
            calls.subList(PER_KEY, calls.size())
                    .forEach(call -> orders.computeIfAbsent(call.key(), none -> new ArrayList<>())
                            .add(Integer.parseInt(call.body())));
        }
        assertThat(orders).hasSize(KEYS);
        assertThat(orders.values())
                .allSatisfy(numbers -> assertThat(numbers).hasSize(PER_KEY).isSorted());
        assertThat(asked.get("/actuator/prometheus").body()
                        + executor.get("/actuator/prometheus").body())
                .contains("tandem_operation_tasks_total{action=\"retry\",queue=\"" + queue + "\",result=\"changed\"}");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @ValueSource(strings = {"kafka", "rabbit"})
    void deadTasksAreDeletedAndOneThatIsStoppedLeavesTheRest(String source) {
        String queue = QUEUES.get(source);
        String prefix = UniqueNames.fresh("t");
        for (int i = 0; i < TASKS; i++) {
            endpoint.reply(id(prefix, i), 410, null);
        }
        publish(queue, prefix, 0);
        await().atMost(PATIENCE).until(() -> counts(queue).path("dead").asInt() == TASKS);

        assertThat(run(queue, "action=delete&dry-run=true").path("matched").asInt())
                .isEqualTo(TASKS);
        assertThat(counts(queue).path("dead").asInt()).as("of a dry run").isEqualTo(TASKS);

        String path = "/api/v1/queues/" + queue + "/operations";
        String one = path + "/"
                + asked.post(path + "?action=delete").json().path("operation").asString();
        assertThat(asked.post(one + "/stop").status())
                .as("409 if it was quicker")
                .isIn(200, 202, 409);
        await().atMost(PATIENCE).until(() -> asked.get(one).json().has("ended"));
        int deleted = asked.get(one).json().path("changed").asInt();
        await().atMost(PATIENCE).until(() -> counts(queue).path("dead").asInt() == TASKS - deleted);

        assertThat(run(queue, "action=delete").path("changed").asInt()).isEqualTo(TASKS - deleted);
        await().atMost(PATIENCE).until(() -> counts(queue).path("dead").asInt() == 0);
        assertThat(calls(prefix)).as("no task has run again").isEqualTo(TASKS);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @ValueSource(strings = {"kafka", "rabbit"})
    void waitingTasksAreCancelledAndRescheduled(String source) {
        String queue = QUEUES.get(source);
        String prefix = UniqueNames.fresh("t");
        long later = System.currentTimeMillis() + 3_600_000;
        publish(queue, prefix, later);
        await().atMost(PATIENCE).until(() -> counts(queue).path("scheduled").asInt() == TASKS);

        assertThat(run(queue, "action=cancel&key=" + prefix + "-k0")
                        .path("changed")
                        .asInt())
                .isEqualTo(PER_KEY);
        assertThat(run(queue, "action=reschedule&at=" + (later + 60_000) + "&key=" + prefix + "-k1")
                        .path("changed")
                        .asInt())
                .isEqualTo(PER_KEY);
        assertThat(run(queue, "action=cancel&due-after=" + (later + 1))
                        .path("changed")
                        .asInt())
                .isEqualTo(PER_KEY);
        assertThat(run(queue, "action=reschedule&delay=0").path("changed").asInt())
                .isEqualTo(TASKS - 2 * PER_KEY);
        await().atMost(PATIENCE).until(() -> calls(prefix) == TASKS - 2 * PER_KEY);
        assertThat(endpoint.callsOfKey(prefix + "-k0")).isEmpty();
        assertThat(endpoint.callsOfKey(prefix + "-k1")).isEmpty();
        assertThat(asked.get("/api/v1/queues/" + queue + "/tasks/" + id(prefix, 0))
                        .json()
                        .path("state")
                        .asString())
                .isEqualTo("cancelled");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @ValueSource(strings = {"kafka", "rabbit"})
    void tasksThatRunAgainAfterAFailureAreInterrupted(String source) {
        String queue = QUEUES.get(source);
        String id = UniqueNames.fresh("again");
        endpoint.reply(id, 503, "3600");
        Task task = new Task(id, queue, null, id, new byte[] {'1'}, Map.of(), 0, 0, 0, 0, null);
        executor.bean("publisher", Publisher.class)
                .publish(task)
                .toCompletableFuture()
                .join();
        await().atMost(PATIENCE).until(() -> state(queue, id).equals("retry"));
        String otherTime = "/api/v1/queues/" + queue + "/tasks/" + id + "/reschedule?delay=2h&attempts=";
        assertThat(asked.post(otherTime + 0).status()).as("started since").isEqualTo(409);
        assertThat(asked.post(otherTime + 1).status()).isEqualTo(202);
        endpoint.hold(id);
        assertThat(run(queue, "action=retry&state=retry&key=" + id)
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
        await().atMost(PATIENCE).until(() -> endpoint.calls(id).size() == 2);

        JsonNode counted = run(queue, "action=cancel&dry-run=true&key=" + id);
        assertThat(counted.path("matched").asInt()).as(counted.toString()).isEqualTo(1);
        JsonNode ended = run(queue, "action=cancel&key=" + id);
        assertThat(ended.path("changed").asInt()).as(ended.toString()).isEqualTo(1);
        assertThat(ended.path("refused").asInt()).as(ended.toString()).isZero();
        await().atMost(PATIENCE).until(() -> state(queue, id).equals("cancelled"));
        endpoint.release(id);
        assertThat(endpoint.calls(id)).hasSize(2);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @ValueSource(strings = {"kafka", "rabbit"})
    void aTaskThatOnlyAnExecutorHasIsFoundThereAndCancelled(String source) {
        String queue = QUEUES.get(source);
        String id = UniqueNames.fresh("first");
        endpoint.hold(id);
        for (String each : List.of(id, id + "-never", id + "-next")) {
            Task task = new Task(each, queue, null, id, new byte[] {'1'}, Map.of(), 0, 0, 0, 0, null);
            executor.bean("publisher", Publisher.class)
                    .publish(task)
                    .toCompletableFuture()
                    .join();
        }
        await().atMost(PATIENCE).until(() -> state(queue, id).equals("active"));
        await().atMost(PATIENCE).until(() -> state(queue, id + "-next").equals("delivered"));

        JsonNode runs = asked.get("/api/v1/queues/" + queue + "/tasks/" + id).json();
        assertThat(runs.path("id").asString()).isEqualTo(id);
        assertThat(runs.path("key").asString()).isEqualTo(id);
        assertThat(runs.path("note").asString()).contains("Its payload is in the broker");
        RunningServer.Answer nowhere = asked.get("/api/v1/queues/" + queue + "/tasks/" + id + "-other");
        assertThat(nowhere.status()).isEqualTo(404);
        assertThat(nowhere.body()).contains("no executor that answered has it");
        String never = "/api/v1/queues/" + queue + "/tasks/" + id + "-never/cancel";
        assertThat(asked.post(never).json().path("state").asString()).isEqualTo("cancelled");
        assertThat(asked.post(never).status()).as("it has ended").isEqualTo(409);
        endpoint.release(id);
        await().atMost(PATIENCE).until(() -> state(queue, id + "-next").equals("succeeded"));
        assertThat(endpoint.calls(id + "-never")).isEmpty();
    }

    /** The servers run no tasks, so that nothing but the operation changes them. */
    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void anotherServerGoesOnWhenTheOneThatRunsAnOperationIsKilled() throws Exception {
        String space = UniqueNames.fresh("killed");
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("tandem.api.login", "none");
        settings.put("tandem.executor.enabled", "false");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        settings.put("tandem.redis.namespace", space);
        settings.put("tandem.queues.orders.source", "kafka");
        settings.put("tandem.queues.orders.handler", "log");
        try (var connection = Brokers.redis().client().connect(ByteArrayCodec.INSTANCE)) {
            RedisCommands<byte[], byte[]> redis = connection.sync();
            DeadTasks dead = new DeadTasks(redis, space, "orders", 3, 10_000);
            int port = PortReservations.reserve();
            settings.put("server.port", Integer.toString(port));
            try (LocalProcess victim = ServerProcess.start("victim", settings)) {
                URI begin = URI.create(
                        "http://127.0.0.1:" + port + "/api/v1/queues/orders/operations?action=retry&operation=killed");
                HttpRequest request = HttpRequest.newBuilder(begin)
                        .POST(BodyPublishers.noBody())
                        .build();
                HttpClient client = HttpClient.newHttpClient();
                await("the operation's begin")
                        .atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() ->
                                client.send(request, BodyHandlers.discarding()).statusCode() == 202);
                await("the first pages")
                        .atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(2))
                        .until(() -> dead.left() < dead.all());
                victim.kill();
                assertThat(dead.left()).as("dead tasks after the kill").isBetween(1L, dead.all() - 1);
            }
            settings.put("server.port", "0");
            try (RunningServer successor = new RunningServer(settings)) {
                String one = "/api/v1/queues/orders/operations/killed";
                await("the end")
                        .atMost(PATIENCE)
                        .until(() -> successor.get(one).json().has("ended"));
                JsonNode ended = successor.get(one).json();
                assertThat(ended.path("state").asString()).as(ended.toString()).isEqualTo("done");
                assertThat(List.of(ended.path("looked"), ended.path("matched"), ended.path("changed")))
                        .as(ended.toString())
                        .allSatisfy(count -> assertThat(count.asLong()).isEqualTo(dead.all()));
                assertThat(ended.path("refused").asLong()).isZero();
            }
            assertThat(dead.left()).isZero();
            assertThat(dead.retried()).as("tasks that are due").isEqualTo(dead.all());
            assertThat(dead.replayed()).as("changes, by the store's count").isEqualTo(dead.all());
        }
    }

    private static String state(String queue, String id) {
        return asked.get("/api/v1/queues/" + queue + "/tasks/" + id)
                .json()
                .path("state")
                .asString("");
    }

    /** Asks for an operation, and waits for its end. */
    private static JsonNode run(String queue, String query) {
        String path = "/api/v1/queues/" + queue + "/operations";
        RunningServer.Answer begun = asked.post(path + "?" + query);
        assertThat(begun.status()).as(begun.body()).isEqualTo(202);
        String one = path + "/" + begun.json().path("operation").asString();
        await().atMost(PATIENCE).until(() -> executor.get(one).json().has("ended"));
        JsonNode ended = executor.get(one).json();
        assertThat(ended.path("state").asString()).as(ended.toString()).isEqualTo("done");
        return ended;
    }

    private static void publish(String queue, String prefix, long notBefore) {
        Publisher publisher = executor.bean("publisher", Publisher.class);
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            String key = prefix + "-k" + i % KEYS;
            byte[] payload = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
            Task task = new Task(id(prefix, i), queue, null, key, payload, Map.of(), 0, notBefore, 0, 0, null);
            sent.add(publisher.publish(task).toCompletableFuture());
        }
        sent.forEach(CompletableFuture::join);
    }

    private static int calls(String prefix) {
        int sum = 0;
        for (int key = 0; key < KEYS; key++) {
            sum += endpoint.callsOfKey(prefix + "-k" + key).size();
        }
        return sum;
    }

    private static String id(String prefix, int number) {
        return prefix + "-" + number;
    }

    private static JsonNode counts(String queue) {
        return asked.get("/api/v1/queues/" + queue).json().path("counts");
    }
}
