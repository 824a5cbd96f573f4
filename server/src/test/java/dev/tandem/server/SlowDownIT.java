package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.RunningServer.Answer;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A service that answers 429: the tasks of that tenant wait as long as it says, and those of others go on. */
class SlowDownIT {

    private static final Map<String, String> QUEUES =
            Map.of("kafka", UniqueNames.fresh("slow"), "rabbit", UniqueNames.fresh("slow"));

    private static RecordingEndpoint endpoint;
    private static RunningServer server;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        QUEUES.forEach((source, queue) -> {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", source);
            settings.put(at + "partitions", "2");
            settings.put(at + "ordering", "key");
            settings.put(at + "handler", "http");
            settings.put(at + "http.url", endpoint.url());
            settings.put(at + "backoff.initial", "1h");
            settings.put("tandem.rate-limits." + queue + ".rate", "1000/s");
            settings.put("tandem.rate-limits." + queue + ".per", "header:tenant");
            settings.put("tandem.rate-limits." + queue + ".queues", queue);
        });
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
    @ValueSource(strings = {"kafka", "rabbit"})
    void onlyTheTasksOfThatTenantWait(String source) {
        String queue = QUEUES.get(source);
        String acme = UniqueNames.fresh("acme");
        endpoint.reply(acme + "-first", 429, "3600");
        submit(queue, acme + "-first", acme);
        await().atMost(PATIENCE).until(() -> bucketIsPaused(queue, acme));

        submit(queue, acme + "-second", acme);
        for (int number = 0; number < 20; number++) {
            submit(queue, acme + "-other-" + number, "other");
        }

        for (int number = 0; number < 20; number++) {
            String id = acme + "-other-" + number;
            await(id).atMost(PATIENCE).until(() -> state(queue, id).equals("succeeded"));
        }
        assertThat(endpoint.calls(acme + "-first")).hasSize(1);
        assertThat(endpoint.calls(acme + "-second"))
                .as("another key, but the same tenant")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void callThatIsRefusedSpendsNoAttempt(String source) {
        String queue = QUEUES.get(source);
        String id = UniqueNames.fresh("refused");
        endpoint.reply(id, 429, "1");
        submit(queue, id, id);
        await().atMost(PATIENCE).until(() -> endpoint.calls(id).size() >= 2);
        endpoint.accept(id);

        await().atMost(PATIENCE).until(() -> state(queue, id).equals("succeeded"));
        assertThat(endpoint.calls(id))
                .hasSizeGreaterThan(2)
                .allMatch(call -> call.attempt() == 1)
                .extracting(RecordingEndpoint.Call::token)
                .as("fencing tokens")
                .isSorted()
                .doesNotHaveDuplicates();
    }

    private static boolean bucketIsPaused(String queue, String tenant) {
        JsonNode buckets =
                server.get("/api/v1/limits/" + queue).json().path("rateLimit").path("buckets");
        return buckets.valueStream()
                .anyMatch(bucket -> bucket.path("bucket").asString().equals(tenant)
                        && bucket.path("pausedUntil").isString());
    }

    private static void submit(String queue, String id, String tenant) {
        Answer answer = server.post(
                "/api/v1/queues/" + queue + "/tasks",
                "{\"id\": \"%s\", \"key\": \"%s\", \"payload\": 1, \"headers\": {\"tenant\": \"%s\"}}"
                        .formatted(id, id, tenant));
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }

    private static String state(String queue, String id) {
        return server.get("/api/v1/queues/" + queue + "/tasks/" + id)
                .json()
                .path("state")
                .asString("");
    }
}
