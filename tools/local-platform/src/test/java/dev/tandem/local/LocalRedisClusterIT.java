package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LocalRedisClusterIT {

    // With the embedded Redis, which is the oldest one. Tests of other modules use the one on the PATH.
    @Test
    void promotesAReplicaWhenItsPrimaryIsKilled() {
        try (LocalRedisCluster cluster = LocalRedisCluster.start(LocalMode.EMBEDDED)) {
            assertThat(cluster.primaries()).hasSize(3);
            int slot = SlotHash.getSlot("key-1");
            ask(cluster, commands -> {
                for (int i = 0; i < 30; i++) {
                    commands.set("key-" + i, "value"); // spread over all primaries
                }
                return commands.get("key-1");
            });
            LocalRedis former = cluster.primaryOf(slot);

            former.kill();
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> cluster.primaryOf(slot) != former);
            cluster.awaitReady();
            String kept = ask(cluster, commands -> commands.get("key-1"));
            assertThat(kept).isEqualTo("value");

            former.start();
            cluster.awaitReady();
            assertThat(cluster.primaries()).hasSize(3).doesNotContain(former);
        }
    }

    private static String ask(
            LocalRedisCluster cluster, Function<RedisAdvancedClusterCommands<String, String>, String> question) {
        RedisClusterClient client = RedisClusterClient.create(cluster.nodes().stream()
                .filter(LocalRedis::isRunning)
                .map(node -> RedisURI.create(node.address()))
                .toList());
        try (var connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
