package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** For how long the oldest task has waited that could start, on real brokers. */
class OldestWaitIT {

    private static final Map<String, String> QUEUES = new LinkedHashMap<>();

    private static RecordingEndpoint endpoint;
    private static RunningServer server;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        for (String source : new String[] {"kafka", "rabbit"}) {
            queue(settings, source + " slot", source, "concurrency");
            queue(settings, source + " limit", source, "max-running");
        }
        server = RunningServer.healthy(settings);
    }

    private static void queue(Map<String, String> settings, String name, String source, String only) {
        String queue = UniqueNames.fresh("oldest");
        QUEUES.put(name, queue);
        String at = "tandem.queues." + queue + ".";
        settings.put(at + "source", source);
        settings.put(at + "partitions", "1");
        settings.put(at + "ordering", "key");
        settings.put(at + "handler", "http");
        settings.put(at + "http.url", endpoint.url());
        settings.put(at + "timeout", "10m");
        settings.put(at + only, "1");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        endpoint.close();
    }

    private static JsonNode shown(String queue) {
        return server.get("/api/v1/queues/" + queue).json();
    }

    /** Returns -1 if it is not known. */
    private static long oldest(String queue) {
        return shown(queue).path("oldestWaitMillis").asLong(-1);
    }

    private static void publish(String queue, String id, String key, String more) {
        String task = "{\"id\": \"" + id + "\", \"key\": \"" + key + "\", \"payload\": \"x\"" + more + "}";
        assertThat(server.post("/api/v1/queues/" + queue + "/tasks", task).status())
                .isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka slot", "kafka limit", "rabbit slot", "rabbit limit"})
    void itGrowsWhileTheOnlySlotIsHeldAndIsNoneWhenNothingWaits(String name) {
        String queue = QUEUES.get(name);
        String held = UniqueNames.fresh("held");
        endpoint.hold(held);
        await().atMost(PATIENCE).until(() -> oldest(queue) == 0);
        publish(queue, held, "a", "");
        await().atMost(PATIENCE).until(() -> endpoint.calls(held).size() == 1);
        publish(queue, held + "-behind", "a", "");
        publish(queue, held + "-delayed", "b", ", \"delay\": \"PT1H\"");
        await("neither could start").atMost(PATIENCE).until(() -> {
            JsonNode shown = shown(queue);
            return shown.path("counts").path("scheduled").asLong() == 1
                    && shown.path("oldestWaitMillis").asLong(-1) == 0;
        });

        publish(queue, held + "-next", "c", "");
        await().atMost(PATIENCE).until(() -> oldest(queue) > 0);
        long before = oldest(queue);
        await().atMost(PATIENCE).until(() -> oldest(queue) > before + 2_000);
        assertThat(shown(queue)
                        .path("partitions")
                        .get(0)
                        .path("oldestWaitMillis")
                        .asLong(0))
                .as("of the partition")
                .isGreaterThan(before);
        await().atMost(PATIENCE).until(() -> server.metric("tandem_queue_oldest_wait_seconds", queue) > 0);
        if (name.endsWith("limit")) {
            assertThat(shown(queue).path("limit").path("max").asInt()).isEqualTo(1);
            await().atMost(PATIENCE)
                    .until(() -> shown(queue).path("limit").path("running").asInt() == 1);
        }

        endpoint.release(held);
        await().atMost(PATIENCE).until(() -> oldest(queue) == 0);
        await().atMost(PATIENCE)
                .until(() -> endpoint.calls(held + "-next").size() == 1
                        && endpoint.calls(held + "-behind").size() == 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka slot", "rabbit slot"})
    void aTaskWhoseTimeHasComeWaitsThoughItsQueueIsPaused(String name) {
        String queue = QUEUES.get(name);
        String due = UniqueNames.fresh("due");
        assertThat(server.post("/api/v1/queues/" + queue + "/pause").status()).isEqualTo(202);
        try {
            publish(queue, due, due, ", \"delay\": \"PT1S\"");
            // The executor may hear of the pause later than the first task's time, so more follow it.
            AtomicInteger more = new AtomicInteger();
            await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(2)).until(() -> {
                if (oldest(queue) > 1_000) {
                    return true;
                }
                String next = due + "-" + more.incrementAndGet();
                publish(queue, next, next, ", \"delay\": \"PT1S\"");
                return false;
            });
        } finally {
            assertThat(server.post("/api/v1/queues/" + queue + "/resume").status())
                    .isEqualTo(202);
        }
        await().atMost(PATIENCE).until(() -> oldest(queue) == 0);
        await().atMost(PATIENCE).until(() -> endpoint.calls(due).size() == 1);
    }
}
