package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A server with a schedule in its settings. */
@Execution(ExecutionMode.CONCURRENT)
class SchedulesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));

    private final String queue = UniqueNames.fresh("reports");
    private final String schedule = UniqueNames.fresh("seconds");

    @Test
    void firesWhatItsSettingsSayAndWhatOperatorsAskFor() {
        String settings = "tandem.schedules." + schedule + ".";
        try (RunningServer server = new RunningServer(Map.ofEntries(
                Map.entry("server.port", "0"),
                Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers()),
                Map.entry("tandem.redis.uri", Brokers.redis().uri()),
                Map.entry("tandem.queues." + queue + ".source", "kafka"),
                Map.entry("tandem.queues." + queue + ".partitions", "1"),
                Map.entry("tandem.queues." + queue + ".handler", "noop"),
                Map.entry(settings + "queue", queue),
                Map.entry(settings + "cron", "* * * * * *"),
                Map.entry(settings + "zone", "Europe/Berlin")))) {
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

    private JsonNode shown(RunningServer server) {
        return server.get(path("")).json();
    }

    private String path(String action) {
        return "/api/v1/schedules/" + schedule + action;
    }
}
