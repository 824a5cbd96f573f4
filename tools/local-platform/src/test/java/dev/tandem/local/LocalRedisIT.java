package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LocalRedisIT {

    @ParameterizedTest
    @EnumSource(names = {"PROCESS", "EMBEDDED"})
    void restartsOnItsPortWithItsDataAfterAKill(LocalMode mode) {
        try (LocalRedis redis = LocalRedis.builder().mode(mode).start()) {
            String address = redis.address();
            ask(redis, commands -> commands.set("who", "tandem"));

            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            redis.start();

            assertThat(redis.address()).isEqualTo(address);
            assertThat(get(redis, "who")).isEqualTo("tandem");
        }
    }

    @Test
    void losesAtMostASecondAndEvictsNothing() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.PROCESS).start()) {
            Map<String, String> settings =
                    ask(redis, commands -> commands.configGet("append*", "maxmemory-policy", "save"));
            assertThat(settings)
                    .containsEntry("appendonly", "yes")
                    .containsEntry("appendfsync", "everysec")
                    .containsEntry("maxmemory-policy", "noeviction")
                    .containsEntry("save", "");
        }
    }

    @Test
    void canForgetItsLastWrites() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.PROCESS).start()) {
            ask(redis, commands -> commands.set("early", "kept"));
            RedisCheckpoint checkpoint = redis.checkpoint();
            ask(redis, commands -> commands.set("late", "lost"));

            redis.restartFrom(checkpoint);

            assertThat(get(redis, "early")).isEqualTo("kept");
            assertThat(get(redis, "late")).isNull();
        }
    }

    @Test
    void doesNotAnswerWhileItIsFrozen() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.PROCESS).start()) {
            redis.suspend();
            assertThatThrownBy(() -> ask(redis, RedisCommands::ping)).isInstanceOf(RuntimeException.class);
            redis.resume();
            assertThat(LocalRedisIT.<String>ask(redis, RedisCommands::ping)).isEqualTo("PONG");
        }
    }

    @Test
    void reportsARefusedSettingWithTheLog() {
        assertThatThrownBy(() -> LocalRedis.builder()
                        .mode(LocalMode.PROCESS)
                        .setting("appendfsync", "sometimes")
                        .start())
                .isInstanceOf(LocalException.class)
                .hasMessageContaining("appendfsync");
    }

    private static String get(LocalRedis redis, String key) {
        return ask(redis, commands -> commands.get(key));
    }

    private static <T> T ask(LocalRedis redis, Function<RedisCommands<String, String>, T> question) {
        RedisURI uri = RedisURI.create(redis.address());
        uri.setTimeout(Duration.ofSeconds(2));
        RedisClient client = RedisClient.create(uri);
        try (var connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
