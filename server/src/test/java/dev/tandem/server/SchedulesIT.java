package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A server with a schedule in its settings. */
@Execution(ExecutionMode.CONCURRENT)
class SchedulesIT {

    private final String queue = UniqueNames.fresh("reports");
    private final String schedule = UniqueNames.fresh("seconds");

    @Test
    void firesWhatItsSettingsSayAndWhatOperatorsAskFor() {
        String settings = "tandem.schedules." + schedule + ".";
        try (RunningServer server = server(Map.of(
                settings + "queue", queue, settings + "cron", "* * * * * *", settings + "zone", "Europe/Berlin"))) {
            await().atMost(PATIENCE).until(() -> shown(server).path("firings").asLong() >= 2);
            assertThat(shown(server).path("state").asString()).isEqualTo("active");
            assertThat(shown(server).path("next").size()).isEqualTo(5);

            assertThat(server.post(path("/pause")).status()).isEqualTo(202);
            assertThat(shown(server).path("state").asString()).isEqualTo("paused");
            long before = shown(server).path("firings").asLong();
            assertThat(server.post(path("/fire")).status()).isEqualTo(202);
            await().atMost(PATIENCE).until(() -> !shown(server).has("asked"));
            assertThat(shown(server).path("firings").asLong()).isGreaterThan(before);
            assertThat(server.post(path("/resume")).status()).isEqualTo(202);
            await().atMost(PATIENCE).until(() -> shown(server).path("firings").asLong() >= before + 2);

            String fired = schedule + "@" + shown(server).path("fired").asString();
            await().atMost(PATIENCE)
                    .until(() -> server.get("/api/v1/queues/" + queue + "/tasks/" + fired)
                                    .status()
                            == 200);
            assertThat(server.get("/actuator/prometheus").body())
                    .containsPattern("tandem_schedule_firings_total\\{queue=\"" + queue + "\",schedule=\"" + schedule
                            + "\"} [1-9]");
        }
    }

    @Test
    void aDeletedScheduleThatIsRestoredLosesNoInstantAndRepeatsNone() {
        try (RunningServer server = server(Map.of())) {
            String body = "{\"queue\": \"" + queue + "\", \"type\": \"noop\", \"every\": \"1s\", \"payload\": \"own\"}";
            assertThat(server.send(HttpRequest.newBuilder(URI.create(server.url() + path("/create")))
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString(body))
                                    .build())
                            .status())
                    .isEqualTo(202);
            await().atMost(PATIENCE).until(() -> shown(server).path("firings").asLong() >= 2);

            long before = shown(server).path("firings").asLong();
            assertThat(server.send(HttpRequest.newBuilder(URI.create(server.url() + path("")))
                                    .DELETE()
                                    .build())
                            .status())
                    .isEqualTo(202);
            Instant deleted = now(server);
            assertThat(server.get(path("")).status()).isEqualTo(404);
            await("instants pass by").atMost(PATIENCE).until(() -> now(server).isAfter(deleted.plusSeconds(3)));
            assertThat(server.post(path("/restore")).status()).isEqualTo(202);

            assertThat(shown(server).path("firings").asLong()).isGreaterThanOrEqualTo(before);
            await().atMost(PATIENCE).until(() -> shown(server).path("firings").asLong() >= before + 6);
            await().atMost(PATIENCE).untilAsserted(() -> {
                List<Long> seconds = ran(server);
                assertThat(seconds).hasSizeGreaterThan((int) before + 5).doesNotHaveDuplicates();
                assertThat(seconds.get(seconds.size() - 1) - seconds.get(0))
                        .as("no second is left out in %s", seconds)
                        .isEqualTo(seconds.size() - 1);
            });
            assertThat(server.post(path("/restore")).status()).isEqualTo(409);
        }
    }

    /** Returns the instants whose tasks have run, in epoch seconds. */
    private List<Long> ran(RunningServer server) {
        return server
                .get("/api/v1/queues/" + queue + "/tasks?state=succeeded&limit=200")
                .json()
                .path("tasks")
                .values()
                .stream()
                .filter(task -> !task.has("duplicateOf"))
                .map(task -> task.path("id").asString())
                .map(task ->
                        Instant.parse(task.substring(task.indexOf('@') + 1)).getEpochSecond())
                .sorted()
                .toList();
    }

    private static Instant now(RunningServer server) {
        return Instant.parse(server.get("/api/v1/schedules").json().path("now").asString());
    }

    private RunningServer server(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "server.port",
                "0",
                "tandem.kafka.bootstrap-servers",
                Brokers.kafka().bootstrapServers(),
                "tandem.redis.uri",
                Brokers.redis().uri(),
                "tandem.queues." + queue + ".source",
                "kafka",
                "tandem.queues." + queue + ".partitions",
                "1",
                "tandem.queues." + queue + ".handler",
                "noop"));
        settings.putAll(more);
        return new RunningServer(settings);
    }

    private JsonNode shown(RunningServer server) {
        return server.get(path("")).json();
    }

    private String path(String action) {
        return "/api/v1/schedules/" + schedule + action;
    }
}
