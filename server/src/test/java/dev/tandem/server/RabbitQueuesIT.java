package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.server.RunningServer.Answer;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** RabbitMQ queues as seen and changed through the API and the command line, on real brokers. */
class RabbitQueuesIT {

    private static final String UNORDERED = UniqueNames.fresh("mails");
    private static final String ORDERED = UniqueNames.fresh("letters");

    private static RecordingEndpoint endpoint;
    private static RunningServer server;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("rabbit");
        for (String queue : List.of(UNORDERED, ORDERED)) {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", "rabbit");
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "http");
            settings.put(at + "http.url", endpoint.url());
            settings.put(at + "http.dead-on", "410");
            settings.put(at + "backoff.initial", "1h");
        }
        settings.put("tandem.queues." + ORDERED + ".ordering", "key");
        server = RunningServer.healthy(settings);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        endpoint.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void taskIsShownInEveryStateAndCanBeChanged(boolean ordered) {
        String queue = ordered ? ORDERED : UNORDERED;
        String prefix = UniqueNames.fresh("t");
        String dead = prefix + "-dead";
        String failed = prefix + "-failed";
        String later = prefix + "-later";
        String never = prefix + "-never";
        String fine = prefix + "-fine";
        endpoint.reply(dead, 410, null);
        endpoint.reply(failed, 500, null);
        submit(queue, dead, "");
        submit(queue, failed, "");
        submit(queue, later, ", \"delay\": \"PT1H\"");
        submit(queue, never, ", \"delay\": \"PT1H\"");
        submit(queue, fine, "");

        awaitState(queue, dead, "dead");
        awaitState(queue, failed, "retry");
        awaitState(queue, later, "scheduled");
        awaitState(queue, never, "scheduled");
        await().atMost(PATIENCE).until(() -> endpoint.calls(fine).size() == 1);
        assertThat(page(queue, "dead")).contains(dead).doesNotContain(failed);
        assertThat(page(queue, "retry")).contains(failed).doesNotContain(dead);
        assertThat(page(queue, "scheduled")).contains(later, never);
        assertThat(page(queue, "succeeded")).doesNotContain(dead, failed, later);
        assertThat(find(queue, dead).json().path("error").asString()).isEqualTo("HTTP status 410");
        assertThat(find(queue, dead).json().path("payload").asString()).isEqualTo(dead);
        assertThat(Instant.parse(find(queue, later).json().path("at").asString()))
                .isAfter(Instant.now().plus(Duration.ofMinutes(50)));

        endpoint.accept(dead);
        endpoint.accept(failed);
        for (String id : List.of(dead, failed, later)) {
            assertThat(server.post(tasks(queue) + "/" + id + "/retry").status()).isEqualTo(202);
        }
        assertThat(server.delete(tasks(queue) + "/" + never).status()).isEqualTo(202);

        await().atMost(PATIENCE).until(() -> endpoint.calls(dead).size() == 2);
        await().atMost(PATIENCE).until(() -> endpoint.calls(failed).size() == 2);
        await().atMost(PATIENCE).until(() -> endpoint.calls(later).size() == 1);
        assertThat(find(queue, never).json().path("state").asString()).isEqualTo("cancelled");
        assertThat(endpoint.calls(never)).isEmpty();
    }

    @Test
    void haltedKeyNamesItsHeadAndContinuesWhenSkipped() {
        String key = UniqueNames.fresh("k");
        endpoint.reply(key + "-1", 410, null);
        for (int number = 1; number <= 3; number++) {
            submit(ORDERED, key + "-" + number, ", \"key\": \"" + key + "\"");
        }
        String path = "/api/v1/queues/" + ORDERED + "/keys/" + key;
        await().atMost(PATIENCE)
                .until(() -> server.get(path).json().path("parked").asInt() == 2);
        assertThat(server.get(path).json().path("why").asString()).isEqualTo("halted");
        assertThat(page(ORDERED, "parked")).contains(key + "-2", key + "-3");

        assertThat(server.post(path + "/skip").status()).isEqualTo(202);

        await().atMost(PATIENCE).until(() -> endpoint.callsOfKey(key).size() == 3);
        assertThat(endpoint.callsOfKey(key))
                .extracting(RecordingEndpoint.Call::id)
                .containsExactly(key + "-1", key + "-2", key + "-3");
        await().atMost(PATIENCE)
                .until(() -> !server.get(path).json().path("blocked").asBoolean());
    }

    @Test
    void plainMessageWithoutPropertiesIsATask() throws IOException, TimeoutException {
        String body = UniqueNames.fresh("plain");
        try (Connection connection = Brokers.rabbit().connect();
                Channel channel = connection.createChannel()) {
            channel.basicPublish("tandem", UNORDERED, true, new AMQP.BasicProperties(), body.getBytes());
        }

        await().atMost(PATIENCE).until(() -> endpoint.callsWith(body).size() == 1);
        assertThat(endpoint.callsWith(body).get(0).type()).isEqualTo("http");
    }

    @Test
    void pausedQueueStartsNoTaskUntilItIsResumed() {
        assertThat(server.post("/api/v1/queues/" + UNORDERED + "/pause").status())
                .isEqualTo(202);
        assertThat(queue(UNORDERED).path("paused").asBoolean()).isTrue();
        assertThat(server.post("/api/v1/queues/" + UNORDERED + "/resume").status())
                .isEqualTo(202);
        assertThat(queue(UNORDERED).path("paused").asBoolean()).isFalse();

        String id = UniqueNames.fresh("resumed");
        submit(UNORDERED, id, "");
        await().atMost(PATIENCE).until(() -> endpoint.calls(id).size() == 1);
    }

    @Test
    void commandLineCoversTheDailyWork() {
        String key = UniqueNames.fresh("cli");
        endpoint.reply(key + "-1", 410, null);
        assertThat(cli("submit", ORDERED, "--id", key + "-1", "--key", key, "--payload", "{\"n\": 1}"))
                .contains("Published");
        awaitState(ORDERED, key + "-1", "dead");

        assertThat(cli("queues")).contains(UNORDERED, ORDERED);
        assertThat(cli("dead", "list", ORDERED)).contains(key + "-1", "HTTP status 410");
        assertThat(cli("keys", "list", ORDERED)).contains(key, "halted");
        assertThat(cli("tasks", ORDERED, "--state", "dead", "-o", "json")).contains("\"id\" : \"" + key + "-1\"");
        assertThat(cli("executors")).contains(ORDERED);
        endpoint.accept(key + "-1");
        cli("keys", "retry", ORDERED, key);

        await().atMost(PATIENCE).until(() -> endpoint.calls(key + "-1").size() == 2);
    }

    @Test
    void queueShowsTheOwnersOfItsPartitionsAndItsTotals() {
        String id = UniqueNames.fresh("counted");
        submit(ORDERED, id, "");
        await().atMost(PATIENCE).until(() -> endpoint.calls(id).size() == 1);

        await().atMost(PATIENCE)
                .until(() -> queue(ORDERED).path("totals").path("succeeded").asLong() > 0);
        JsonNode partitions = queue(ORDERED).path("partitions");
        assertThat(partitions.size()).isEqualTo(2);
        assertThat(partitions.get(0).path("owner").asString()).isNotEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(server.get("/actuator/prometheus").body())
                                .contains("tandem_queue_lag{queue=\"" + UNORDERED + "\"}")
                                .contains("tandem_partitions{queue=\"" + ORDERED + "\"} 2.0"));
    }

    private static void submit(String queue, String id, String more) {
        Answer answer = server.post(tasks(queue), "{\"id\": \"" + id + "\", \"payload\": \"" + id + "\"" + more + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private static String tasks(String queue) {
        return "/api/v1/queues/" + queue + "/tasks";
    }

    private static Answer find(String queue, String id) {
        return server.get(tasks(queue) + "/" + UrlText.pathSegment(id));
    }

    private static void awaitState(String queue, String id, String state) {
        await(id + " " + state)
                .atMost(PATIENCE)
                .until(() -> find(queue, id).json().path("state").asString("").equals(state));
    }

    private static String page(String queue, String state) {
        return server.get(tasks(queue) + "?limit=500&state=" + state).body();
    }

    private static JsonNode queue(String name) {
        return server.get("/api/v1/queues/" + name).json();
    }

    private static String cli(String... words) {
        StringWriter out = new StringWriter();
        CommandLine commands = TandemCli.commandLine().setOut(new PrintWriter(out));
        String[] line = new String[words.length + 1];
        System.arraycopy(words, 0, line, 0, words.length);
        line[words.length] = "--server=" + server.url();
        assertThat(commands.execute(line)).as(String.join(" ", words)).isZero();
        return out.toString();
    }
}
