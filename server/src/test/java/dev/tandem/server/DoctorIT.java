package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** The doctor finds what is wrong with a real Redis and a real topic, and nothing that is not. */
@Execution(ExecutionMode.CONCURRENT)
class DoctorIT {

    @Test
    void namesEachWrongSettingAndNoOtherProblem() throws Exception {
        String queue = Brokers.kafka().topic("doctor", 2);
        try (LocalRedis redis = Brokers.ownRedis();
                RunningServer server = RunningServer.healthy(Map.of(
                        "server.port",
                        "0",
                        "tandem.kafka.bootstrap-servers",
                        Brokers.kafka().bootstrapServers(),
                        "tandem.redis.uri",
                        redis.address(),
                        "tandem.queues." + queue + ".source",
                        "kafka",
                        "tandem.queues." + queue + ".handler",
                        "noop"))) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                Map<String, String> well = levels(server);
                assertThat(well).doesNotContainValue("problem");
                assertThat(well)
                        .containsEntry("redis-reached", "ok")
                        .containsEntry("redis-fit", "ok")
                        .containsEntry("redis-rights", "ok")
                        .containsEntry("kafka-reached", "ok")
                        .containsEntry("clock", "ok")
                        .containsEntry("queue-state", "ok");
            });

            compact(queue);
            configure(redis, "appendonly", "no");
            configure(redis, "maxmemory-policy", "allkeys-lru");
            await().atMost(PATIENCE).untilAsserted(() -> {
                String all = server.get("/api/v1/doctor").body();
                assertThat(all)
                        .contains("appendonly is off", "maxmemory-policy is allkeys-lru", "cleanup.policy=compact");
                assertThat(levels(server))
                        .containsEntry("redis-fit", "problem")
                        .containsEntry("topic-cleanup", "problem");
            });
        }
    }

    /** Returns the worst level of each check. */
    private static Map<String, String> levels(RunningServer server) {
        RunningServer.Answer answer = server.get("/api/v1/doctor");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        Map<String, String> levels = new HashMap<>();
        for (JsonNode finding : answer.json().path("findings")) {
            String level = finding.path("level").asString();
            levels.merge(finding.path("check").asString(), level, (one, other) -> one.equals("ok") ? other : one);
        }
        return levels;
    }

    private static void compact(String topic) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", Brokers.kafka().bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static void configure(LocalRedis redis, String setting, String value) {
        RedisClient client = RedisClient.create(redis.address());
        try {
            client.connect().sync().configSet(setting, value);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
