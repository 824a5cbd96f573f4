package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that are posted and that their receivers end later, by a server that runs no tasks. Each test has a queue of its own. */
@Execution(ExecutionMode.CONCURRENT)
class PostedIT {

    private static final List<String> QUEUES =
            IntStream.range(0, 5).mapToObj(each -> UniqueNames.fresh("posted")).toList();

    private static RecordingEndpoint endpoint;
    private static TwoServers servers;
    private static RunningServer server;
    private static RunningServer other;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("kafka");
        for (String queue : QUEUES) {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", "kafka");
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "http");
            settings.put(at + "http.url", endpoint.url());
            settings.put(at + "http.answers", "later");
            settings.put(at + "http.dead-on", "410");
            settings.put(at + "backoff.initial", "50ms");
            settings.put(at + "max-attempts", "2");
            settings.put(at + "dead-head", "skip");
            settings.put(at + "max-result-bytes", "1KB");
        }
        settings.put("tandem.queues." + QUEUES.get(2) + ".timeout", "300ms");
        servers = new TwoServers(endpoint, settings);
        server = servers.executor;
        other = servers.asked;
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    private static String id(int queue, String name) {
        return QUEUES.get(queue) + "-" + name;
    }

    private static void submit(int queue, String name, String key) {
        Answer answer = server.post(
                "/api/v1/queues/" + QUEUES.get(queue) + "/tasks",
                "{\"id\": \"" + id(queue, name) + "\", \"key\": \"" + key + "\", \"payload\": {}}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    /** Returns the lease of a task that has been posted for the last time. */
    private static String lease(int queue, String name, int attempt) {
        await(name + " is posted")
                .atMost(PATIENCE)
                .until(() -> endpoint.calls(id(queue, name)).stream().anyMatch(call -> call.attempt() == attempt));
        return endpoint.calls(id(queue, name)).get(attempt - 1).lease();
    }

    private static Answer say(RunningServer to, int queue, String verb, String json) {
        return to.post("/api/v1/queues/" + QUEUES.get(queue) + "/pull/" + verb, json);
    }

    private static void awaitState(int queue, String name, String state) {
        String path = "/api/v1/queues/" + QUEUES.get(queue) + "/tasks/" + id(queue, name);
        await(name + " is " + state)
                .atMost(PATIENCE)
                .until(() -> server.get(path).json().path("state").asString(""), state::equals);
    }

    @Test
    void aReceiverThatHasSaid202EndsItsTaskAtAnyServer() {
        endpoint.reply(id(0, "a"), 202, null);
        submit(0, "a", "k");
        submit(0, "b", "k");
        String lease = lease(0, "a", 1);
        assertThat(say(other, 0, "extend", "{\"lease\": \"" + lease + "\"}").status())
                .isEqualTo(202);
        awaitState(0, "a", "active");
        assertThat(endpoint.calls(id(0, "b"))).as("the next one of the key").isEmpty();

        Answer answer = say(other, 0, "finish", "{\"lease\": \"" + lease + "\", \"result\": {\"rows\": 7}}");

        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        awaitState(0, "a", "succeeded");
        awaitState(0, "b", "succeeded");
        assertThat(server.get("/api/v1/queues/" + QUEUES.get(0) + "/tasks/" + id(0, "a") + "/end?timeout=20s")
                        .body())
                .contains("{\"rows\": 7}");
    }

    @Test
    void otherAnswersEndATaskAtOnce() {
        endpoint.reply(id(1, "gone"), 410, null);
        endpoint.reply(id(1, "broken"), 500, null);
        endpoint.reply(id(1, "busy"), 503, "3600");
        submit(1, "done", "a");
        submit(1, "gone", "b");
        submit(1, "broken", "c");
        submit(1, "busy", "d");

        awaitState(1, "done", "succeeded");
        awaitState(1, "gone", "dead");
        awaitState(1, "broken", "dead");
        awaitState(1, "busy", "retry");
        assertThat(endpoint.calls(id(1, "broken"))).hasSize(2);
        assertThat(endpoint.calls(id(1, "gone"))).hasSize(1);
    }

    @Test
    void aTaskWhoseReceiverSaysNothingFailsAtItsTimeoutAndTheLateAnswerIsRefused() {
        endpoint.reply(id(2, "lost"), 202, null);
        submit(2, "lost", "k");
        String first = lease(2, "lost", 1);
        lease(2, "lost", 2);

        assertThat(say(server, 2, "finish", "{\"lease\": \"" + first + "\"}").status())
                .isEqualTo(409);
        awaitState(2, "lost", "dead");
    }

    @Test
    void aReceiverMayAlsoFailATaskOrGiveItBack() {
        endpoint.reply(id(3, "x"), 202, null);
        submit(3, "x", "k");
        String first = lease(3, "x", 1);
        assertThat(say(server, 3, "fail", "{\"lease\": \"" + first + "\", \"error\": \"no room\"}")
                        .status())
                .isEqualTo(202);
        String second = lease(3, "x", 2);
        endpoint.accept(id(3, "x"));
        assertThat(say(server, 3, "release", "{\"lease\": \"" + second + "\"}").status())
                .isEqualTo(202);

        awaitState(3, "x", "succeeded");
        Answer refused = say(server, 3, "lease", "{}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("are posted to its http.url");
    }

    /** 64 are posted at once. Those whose receivers are awaited take no place. */
    @Test
    void tasksThatAreAwaitedHoldNothingUp() {
        int tasks = 100;
        for (int i = 0; i < tasks; i++) {
            endpoint.reply(id(4, "t" + i), 202, null);
            submit(4, "t" + i, "k" + i);
        }
        await().atMost(PATIENCE)
                .until(() -> IntStream.range(0, tasks)
                        .noneMatch(i -> endpoint.calls(id(4, "t" + i)).isEmpty()));
        List<String> leases = IntStream.range(0, tasks)
                .mapToObj(i -> endpoint.calls(id(4, "t" + i)).get(0).lease())
                .toList();

        String all = leases.stream()
                .map(lease -> "{\"lease\": \"" + lease + "\"}")
                .collect(Collectors.joining(",", "{\"leases\": [", "]}"));
        Answer answer = say(server, 4, "finish", all);
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        assertThat(answer.json().path("changed").asInt()).isEqualTo(tasks);
    }
}
