package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A server that runs no tasks ({@code tandem.executor.enabled: false}), as one that only has the API. */
class ServerWithoutExecutorIT {

    private static final String QUEUE = UniqueNames.fresh("served");

    @Test
    void isHealthyWhenItsBrokersAre() {
        try (RunningServer server = server(Brokers.redis().uri())) {
            server.awaitHealth();
            assertThat(server.get("/api/v1/queues/" + QUEUE).status()).isEqualTo(200);
        }
    }

    @Test
    void isUnhealthyAndAliveWithoutRedis() {
        try (RunningServer server = server("redis://127.0.0.1:1")) {
            await().atMost(PATIENCE)
                    .until(() -> server.get("/actuator/health").body().contains("cannot be reached"));
            assertThat(server.get("/actuator/health").status()).isEqualTo(503);
            assertThat(server.get("/actuator/health/liveness").status()).isEqualTo(200);
        }
    }

    private static RunningServer server(String redis) {
        return new RunningServer(Map.of(
                "server.port",
                "0",
                "tandem.executor.enabled",
                "false",
                "tandem.kafka.bootstrap-servers",
                Brokers.kafka().bootstrapServers(),
                "tandem.redis.uri",
                redis,
                "tandem.queues." + QUEUE + ".source",
                "kafka"));
    }
}
