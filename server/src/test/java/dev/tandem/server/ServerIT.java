package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The whole server on real Kafka and Redis: tasks of its API and of a plain producer, and an operator's changes. */
class ServerIT {

    private static final int MAX_PARKED_PER_KEY = 200;

    private static final String QUEUE = UniqueNames.fresh("calls");
    private static final String TASKS = "/api/v1/queues/" + QUEUE + "/tasks";
    private static final String KEYS = "/api/v1/queues/" + QUEUE + "/keys/";

    private static RecordingEndpoint endpoint;
    private static RunningServer server;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("kafka");
        settings.put("tandem.queues." + QUEUE + ".source", "kafka");
        settings.put("tandem.queues." + QUEUE + ".partitions", "3");
        settings.put("tandem.queues." + QUEUE + ".handler", "http");
        settings.put("tandem.queues." + QUEUE + ".types", "order.paid");
        settings.put("tandem.queues." + QUEUE + ".http.url", endpoint.url());
        settings.put("tandem.queues." + QUEUE + ".http.dead-on", "410");
        settings.put("tandem.queues." + QUEUE + ".backoff.initial", "50ms");
        settings.put("tandem.queues." + QUEUE + ".max-attempts", "3");
        settings.put("tandem.queues." + QUEUE + ".unknown-type-grace", "2s");
        settings.put("tandem.queues." + QUEUE + ".max-parked-per-key", Integer.toString(MAX_PARKED_PER_KEY));
        server = RunningServer.healthy(settings);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        endpoint.close();
    }

    @Test
    void taskFromTheApiIsPostedToTheQueuesUrl() {
        Answer answer = server.post(
                TASKS, "{\"id\": \"paid-1\", \"key\": \"order/1\", \"type\": \"order.paid\", \"payload\": {\"n\": 1}}");

        assertThat(answer.status()).isEqualTo(202);
        await().atMost(PATIENCE).until(() -> endpoint.calls("paid-1").size() == 1);
        RecordingEndpoint.Call call = endpoint.calls("paid-1").get(0);
        assertThat(call.body()).isEqualTo("{\"n\": 1}");
        assertThat(call.key()).isEqualTo("order/1");
        assertThat(call.type()).isEqualTo("order.paid");
        assertThat(call.attempt()).isEqualTo(1);
        assertThat(call.contentType()).isEqualTo("application/json");
    }

    @Test
    void plainProducersRecordWithoutHeadersIsATask() {
        String body = "{\"plain\": \"" + UniqueNames.fresh("x") + "\"}";
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", Brokers.kafka().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(QUEUE, body.getBytes()));
        }

        await().atMost(PATIENCE).until(() -> !endpoint.callsWith(body).isEmpty());
        assertThat(endpoint.callsWith(body).get(0).id()).startsWith(QUEUE + ":");
        assertThat(endpoint.callsWith(body).get(0).type()).isEqualTo("http");
    }

    @Test
    void failedCallIsRetriedWithAHigherToken() {
        endpoint.reply("busy", 503, "3600");
        submit("busy", "busy");
        await().atMost(PATIENCE).until(() -> state("busy").equals("retry"));
        assertThat(Instant.parse(find("busy").json().path("at").asString()))
                .as("as Retry-After said")
                .isAfter(Instant.now().plus(Duration.ofMinutes(59)));

        server.command("tasks", "edit", QUEUE, "busy", "--payload", "\"less\"");
        endpoint.accept("busy");
        assertThat(server.post(TASKS + "/busy/retry").status()).isEqualTo(202);

        await().atMost(PATIENCE).until(() -> hasEnded("busy"));
        List<RecordingEndpoint.Call> calls = endpoint.calls("busy");
        assertThat(calls).extracting(RecordingEndpoint.Call::attempt).containsExactly(1, 2);
        assertThat(calls.get(1))
                .matches(it -> it.token() > calls.get(0).token() && it.body().equals("\"less\""));
    }

    @Test
    void deadTaskIsShownWithItsReasonAndCanBeRetried() {
        endpoint.reply("gone", 410, null);
        submit("gone", "gone");
        await().atMost(PATIENCE).until(() -> state("gone").equals("dead"));
        JsonNode dead = find("gone").json();
        assertThat(dead.path("error").asString()).isEqualTo("HTTP status 410");
        assertThat(dead.path("payload").asString()).isEqualTo("gone");

        server.command("tasks", "edit", QUEUE, "gone", "--payload", "\"here\"");
        endpoint.accept("gone");
        assertThat(server.post(TASKS + "/gone/retry").status()).isEqualTo(202);

        await().atMost(PATIENCE).until(() -> endpoint.calls("gone").size() == 2);
        await().atMost(PATIENCE).until(() -> hasEnded("gone"));
        assertThat(endpoint.calls("gone").get(1))
                .matches(it -> it.attempt() == 1 && it.body().equals("\"here\""));
    }

    @Test
    void theTimelineOfAKeyHasWhatEndedWhatHaltsItAndWhatWaits() {
        String key = "timed";
        submit("timed-1", key);
        await().atMost(PATIENCE).until(() -> hasEnded("timed-1"));
        endpoint.reply("timed-2", 410, null);
        submit("timed-2", key);
        submit("timed-3", key);
        await().atMost(PATIENCE).until(() -> state("timed-2").equals("dead"));
        await().atMost(PATIENCE).until(() -> state("timed-3").equals("parked"));

        JsonNode timeline = server.get(KEYS + key + "/timeline").json();

        assertThat(timeline.has("logProblem")).as("%s", timeline).isFalse();
        assertThat(timeline.path("tasks").findValuesAsString("id")).containsExactly("timed-3", "timed-2", "timed-1");
        assertThat(timeline.path("tasks").findValuesAsString("state")).startsWith("parked", "dead", "succeeded");
        assertThat(timeline.path("log").path("stop").asString()).isEqualTo("beginning");
        JsonNode first = timeline.path("tasks").get(2);
        assertThat(first.path("history").get(0).path("attempt").asInt()).isEqualTo(1);
        assertThat(first.path("waitMillis").isNumber()).as("%s", first).isTrue();
        assertThat(timeline.path("runs").path("count").asInt()).isEqualTo(2);
        server.post(KEYS + key + "/skip");
    }

    @Test
    void deadTaskCanBeDeleted() {
        endpoint.reply("waste", 410, null);
        assertThat(server.post(TASKS, "{\"id\": \"waste\"}").status()).isEqualTo(202);
        await().atMost(PATIENCE).until(() -> state("waste").equals("dead"));

        assertThat(server.delete(TASKS + "/waste").status()).isEqualTo(202);

        assertThat(find("waste").status()).isEqualTo(404);
        assertThat(server.delete(TASKS + "/waste").status()).isEqualTo(404);
    }

    @Test
    void haltedKeyNamesItsHeadAndContinuesWhenSkipped() {
        String key = "k/" + UniqueNames.fresh("halted");
        endpoint.reply(key + "-1", 410, null);
        submit(key + "-1", key);
        submit(key + "-2", key);
        submit(key + "-3", key);
        await().atMost(PATIENCE)
                .until(() -> server.get(KEYS + UrlText.pathSegment(key))
                                .json()
                                .path("parked")
                                .asInt()
                        == 2);
        JsonNode blocked = server.get(KEYS + UrlText.pathSegment(key)).json();
        assertThat(blocked.path("why").asString()).isEqualTo("halted");
        assertThat(find(blocked.path("head").asString()).json().path("id").asString())
                .isEqualTo(key + "-1");
        assertThat(server.get("/api/v1/queues/" + QUEUE + "/keys").json().toString())
                .contains(key);

        assertThat(blocked.path("headTask").path("error").asString()).contains("410");
        assertThat(blocked.path("behind").get(0).path("behind").asString())
                .isEqualTo(blocked.path("head").asString());
        assertThat(server.get("/api/v1/queues/" + QUEUE + "/tasks?key=" + UrlText.queryValue(key))
                        .json()
                        .path("tasks")
                        .size())
                .isEqualTo(3);

        String skip = KEYS + UrlText.pathSegment(key) + "/skip?head=";
        String head = blocked.path("head").asString();
        assertThat(server.post(skip + UrlText.queryValue(head + "7")).status()).isEqualTo(409);
        RunningServer.Answer skipped = server.post(skip + UrlText.queryValue(head));
        assertThat(skipped.status()).isEqualTo(202);
        assertThat(skipped.json().path("did").asString())
                .contains("stays dead. The next of the 2 tasks behind it goes on.");
        assertThat(find(blocked.path("head").asString()).json().path("error").asString())
                .startsWith("skipped by an operator, after: ")
                .contains("410");

        await().atMost(PATIENCE).until(() -> endpoint.callsOfKey(key).size() == 3);
        assertThat(endpoint.callsOfKey(key))
                .extracting(RecordingEndpoint.Call::id)
                .containsExactly(key + "-1", key + "-2", key + "-3");
        await().atMost(PATIENCE)
                .until(() -> !server.get(KEYS + UrlText.pathSegment(key))
                        .json()
                        .path("blocked")
                        .asBoolean());
    }

    @Test
    void haltedKeyWithMoreTasksThanTheBoundHoldsUpOnlyItself() {
        String key = UniqueNames.fresh("crowd");
        endpoint.reply(key, 410, null);
        submit(key, key);
        await().atMost(PATIENCE).until(() -> state(key).equals("dead"));
        int behind = MAX_PARKED_PER_KEY + 100;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", Brokers.kafka().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int number = 0; number < behind; number++) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(QUEUE, key.getBytes(), new byte[] {'1'});
                record.headers().add("tandem-id", (key + "-" + number).getBytes());
                producer.send(record);
            }
        }

        await().atMost(PATIENCE)
                .until(() -> full().stream()
                        .anyMatch(full -> full.path("key").asString().equals(key)
                                && full.path("parked").asInt() == MAX_PARKED_PER_KEY));
        await().atMost(PATIENCE)
                .until(() -> server.get("/actuator/prometheus")
                        .body()
                        .contains("tandem_overflow_keys{queue=\"" + QUEUE + "\"} 1.0"));
        submit(key + "-other", key);
        submit(key + "-free", key + "-free");
        await().atMost(PATIENCE).until(() -> endpoint.calls(key + "-free").size() == 1);

        endpoint.reply(key, 200, null);
        assertThat(server.post(KEYS + key + "/retry").status()).isEqualTo(202);
        await().atMost(PATIENCE).until(() -> endpoint.calls(key + "-other").size() == 1);
        List<String> ran = endpoint.callsOfKey(key).stream()
                .map(RecordingEndpoint.Call::id)
                .toList();
        List<String> expected = new ArrayList<>(List.of(key, key));
        for (int number = 0; number < behind; number++) {
            expected.add(key + "-" + number);
        }
        expected.add(key + "-other");
        assertThat(ran).containsExactlyElementsOf(expected);
        await().atMost(PATIENCE).until(() -> full().isEmpty());
    }

    private static List<JsonNode> full() {
        List<JsonNode> full = new ArrayList<>();
        server.get("/api/v1/queues/" + QUEUE)
                .json()
                .path("partitions")
                .forEach(partition -> full.add(partition.path("full")));
        full.removeIf(JsonNode::isMissingNode);
        return full;
    }

    @Test
    void delayedTaskCanBeCancelledOrRunAtOnce() {
        Instant before = Instant.now();
        server.post(TASKS, "{\"id\": \"later\", \"delay\": \"PT1H\"}");
        server.post(TASKS, "{\"id\": \"never\", \"delay\": \"PT1H\"}");
        server.post(TASKS, "{\"id\": \"soon\", \"delay\": 300}");
        await().atMost(PATIENCE)
                .until(() ->
                        state("later").equals("scheduled") && state("never").equals("scheduled"));
        assertThat(Instant.parse(find("later").json().path("at").asString()))
                .isAfter(before.plus(Duration.ofMinutes(59)));
        assertThat(server.get(TASKS + "?state=scheduled").json().path("tasks").toString())
                .contains("later", "never");

        assertThat(server.delete(TASKS + "/never").status()).isEqualTo(202);
        assertThat(server.post(TASKS + "/later/retry").status()).isEqualTo(202);

        await().atMost(PATIENCE)
                .until(() -> endpoint.calls("later").size() == 1
                        && endpoint.calls("soon").size() == 1);
        assertThat(state("never")).isEqualTo("cancelled");
        assertThat(endpoint.calls("never")).isEmpty();
    }

    @Test
    void taskOfAnUnknownTypeIsDeadWithTheReason() {
        server.post(TASKS, "{\"id\": \"odd\", \"type\": \"nobody.knows\"}");
        await().atMost(PATIENCE).until(() -> state("odd").equals("dead"));
        assertThat(find("odd").json().path("error").asString())
                .contains("nobody.knows")
                .contains("Known types");
    }

    @Test
    void queueExecutorAndMetricsAreShown() throws IOException {
        submit("count-me", "count-me");
        server.post(TASKS, "{\"id\": \"count-late\", \"key\": \"count-late\", \"delay\": 100}");
        await().atMost(PATIENCE).until(() -> endpoint.calls("count-me").size() == 1);

        JsonNode queue = server.get("/api/v1/queues/" + QUEUE).json();
        assertThat(queue.path("partitions").size()).isEqualTo(3);
        String owner = queue.path("partitions").get(0).path("owner").asString();
        assertThat(queue.has("lag")).isTrue();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(server.get("/api/v1/executors").body()).contains(owner));
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(server.get("/actuator/prometheus").body())
                                .contains("tandem_task_run_seconds_count{outcome=\"succeeded\",queue=\"" + QUEUE
                                        + "\",type=\"http\"}")
                                .contains("tandem_task_wait_seconds_count{queue=\"" + QUEUE + "\",type=\"http\"}")
                                .contains("tandem_task_lateness_seconds_count{queue=\"" + QUEUE + "\",type=\"http\"}")
                                .contains("tandem_task_attempts_count{outcome=\"succeeded\",queue=\"" + QUEUE
                                        + "\",type=\"http\"}")
                                .contains("tandem_partitions{queue=\"" + QUEUE + "\"} 3.0")
                                .contains("tandem_queue_tasks{queue=\"" + QUEUE + "\",state=\"scheduled\"}")
                                .contains("tandem_queue_blocked_keys{queue=\"" + QUEUE + "\"}")
                                .contains("tandem_queue_lag{queue=\"" + QUEUE + "\"}")
                                .containsPattern("tandem_queue_outcomes_total\\{outcome=\"succeeded\",queue=\"" + QUEUE
                                        + "\"} [1-9]"));
        assertThat(MonitoringFiles.exposed(server.get("/actuator/prometheus").body()))
                .as("what the alerts and the dashboard ask for")
                .containsAll(MonitoringFiles.metricsOfEveryServer());
    }

    @Test
    void everyTaskThatSucceededIsFoundByItsId() {
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> "kept-" + i).toList();
        ids.forEach(id -> submit(id, id));
        for (String id : ids) {
            await().atMost(PATIENCE).until(() -> state(id).equals("succeeded"));
            JsonNode task = find(id).json();
            assertThat(task.path("id").asString()).isEqualTo(id);
            assertThat(task.path("key").asString()).isEqualTo(id);
            assertThat(task.path("attempts").asInt()).isEqualTo(1);
            assertThat(task.path("executor").asString()).isNotEmpty();
            assertThat(task.path("durationMillis").isIntegralNumber()).isTrue();
            assertThat(task.has("payload")).isFalse();
            assertThat(find(task.path("ref").asString()).json()).isEqualTo(task);
        }
        JsonNode latest = server.get(TASKS + "?state=succeeded&limit=1")
                .json()
                .path("tasks")
                .get(0);
        assertThat(latest.path("state").asString()).isEqualTo("succeeded");
        assertThat(Instant.parse(latest.path("at").asString()))
                .isBefore(Instant.now().plusSeconds(60));
    }

    @Test
    void attemptsAreKeptWithATaskUntilItHasSucceeded() {
        endpoint.reply("twice", 503, "3600");
        submit("twice", "twice");
        await().atMost(PATIENCE).until(() -> state("twice").equals("retry"));
        assertThat(find("twice").json().path("history").size()).isEqualTo(1);
        endpoint.accept("twice");
        assertThat(server.post(TASKS + "/twice/retry").status()).isEqualTo(202);
        await().atMost(PATIENCE).until(() -> state("twice").equals("succeeded"));

        JsonNode history = find("twice").json().path("history");
        assertThat(history.get(0).path("error").asString()).isEqualTo("HTTP status 503");
        assertThat(history.get(0).path("at").asString()).isNotEmpty();
        JsonNode last = history.get(history.size() - 1);
        assertThat(last.has("error")).isFalse();
        assertThat(last.path("attempt").asInt()).isEqualTo(2);
        assertThat(last.path("executor")).isEqualTo(history.get(0).path("executor"));
    }

    private static void submit(String id, String key) {
        Answer answer =
                server.post(TASKS, "{\"id\": \"" + id + "\", \"key\": \"" + key + "\", \"payload\": \"" + id + "\"}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private static Answer find(String id) {
        return server.get(TASKS + "/" + UrlText.pathSegment(id));
    }

    private static boolean hasEnded(String id) {
        return state(id).equals("succeeded");
    }

    private static String state(String id) {
        return find(id).json().path("state").asString("");
    }
}
