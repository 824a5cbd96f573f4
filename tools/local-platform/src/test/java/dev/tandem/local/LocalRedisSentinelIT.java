package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LocalRedisSentinelIT {

    @Test
    void promotesAReplicaWhenThePrimaryIsKilled() {
        try (LocalRedisSentinel redis = LocalRedisSentinel.start()) {
            LocalRedis former = redis.primary();
            assertThat(former).isSameAs(redis.nodes().get(0));
            set(redis, "who", "tandem");
            assertThat(RedisNode.<Long>ask(former.port(), commands -> commands.waitForReplication(2, 5_000)))
                    .isEqualTo(2);

            former.kill();
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> redis.primary() != former);

            assertThat(RedisNode.<String>ask(redis.primary().port(), commands -> commands.get("who")))
                    .isEqualTo("tandem");
            former.start();
            redis.awaitReady();
            assertThat(redis.primary()).isNotSameAs(former);
        }
    }

    private static void set(LocalRedisSentinel redis, String key, String value) {
        RedisClient client = RedisClient.create(redis.address());
        try (var connection = client.connect()) {
            connection.sync().set(key, value);
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
