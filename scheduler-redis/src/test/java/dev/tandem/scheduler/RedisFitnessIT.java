package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Redis that is unfit, or becomes so while it is used. */
class RedisFitnessIT {

    private static final Partition PARTITION = Partition.of("orders", 0);

    private LocalRedis redis;
    private RedisClient client;
    private RedisCommands<String, String> commands;

    @BeforeEach
    void start() {
        redis = Brokers.ownRedis();
        client = RedisClient.create(redis.address());
        commands = client.connect().sync();
    }

    @AfterEach
    void stop() {
        if (redis != null) {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            redis.close();
        }
    }

    /** The link sends nothing meanwhile: it goes down because Redis is asked. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            appendonly                | no          | yes        | appendonly is off
            maxmemory-policy          | allkeys-lru | noeviction | maxmemory-policy is allkeys-lru
            appendfsync               | no          | everysec   | appendfsync is no
            no-appendfsync-on-rewrite | yes         | no         | no-appendfsync-on-rewrite is yes
            min-replicas-to-write     | 1           | 0          | it refuses all writes (NOREPLICAS
            """)
    void isNotUsedUntilItIsFitAgain(String setting, String bad, String good, String problem) {
        try (RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RecordedEvents recorded = new RecordedEvents();
            store.link(PARTITION, recorded);
            await().until(() -> recorded.events.contains("up"));
            recorded.events.clear();

            commands.configSet(setting, bad);
            await().untilAsserted(() -> assertThat(store.status().detail()).contains(problem));
            assertThat(store.status().connected()).isFalse();
            assertThat(recorded.events).containsExactly("down");

            commands.configSet(setting, good);
            await().until(() -> recorded.events.contains("up"));
            assertThat(recorded.events).containsExactly("down", "up");
            assertThat(store.status().connected()).isTrue();
            assertThat(store.status().detail()).doesNotContain(problem);
        }
    }

    @Test
    void isNotUsedOnceItIsAReplica() {
        try (RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RecordedEvents recorded = new RecordedEvents();
            store.link(PARTITION, recorded);
            await().until(() -> recorded.events.contains("up"));
            commands.replicaof("127.0.0.1", 1);
            await().untilAsserted(() -> assertThat(store.status().detail()).contains("it is a replica"));
            assertThat(recorded.events).containsExactly("up", "down");
            commands.replicaofNoOne();
            await().untilAsserted(() -> assertThat(recorded.events).containsExactly("up", "down", "up"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            maxmemory-policy      | allkeys-lru | noeviction | maxmemory-policy is allkeys-lru
            min-replicas-to-write | 1           | 0          | it refuses all writes (NOREPLICAS
            """)
    void isNotUsedFromTheStartUntilItIsFit(String setting, String bad, String good, String problem) {
        commands.configSet(setting, bad);
        try (RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RecordedEvents recorded = new RecordedEvents();
            store.link(PARTITION, recorded);
            await().untilAsserted(() -> assertThat(store.status().detail()).contains(problem));
            assertThat(store.status().connected()).isFalse();
            assertThat(recorded.events).isEmpty();
            commands.configSet(setting, good);
            await().untilAsserted(() -> assertThat(recorded.events).containsExactly("up"));
            assertThat(store.status().connected()).isTrue();
        }
    }

    @Test
    void isAskedForItsSettingsOnlyOnceIfTheyAreSecret() {
        commands.aclSetuser(
                "limited",
                AclSetuserArgs.Builder.on()
                        .addPassword("secret")
                        .allKeys()
                        .allChannels()
                        .allCommands()
                        .removeCommand(CommandType.CONFIG));
        String uri = redis.address().replace("redis://", "redis://limited:secret@");
        try (RedisStore store = RedisStore.open(RedisSettings.of(uri))) {
            RecordedEvents recorded = new RecordedEvents();
            store.link(PARTITION, recorded);
            await().until(() -> recorded.events.contains("up"));
            long refused = refusals();
            assertThat(refused).isPositive();
            long asked = calls("hdel");
            await().until(() -> calls("hdel") > asked + 1);
            assertThat(refusals()).isEqualTo(refused);

            commands.configSet("appendonly", "no");
            await().untilAsserted(() -> assertThat(store.status().detail()).contains("appendonly is off"));
        }
    }

    /** Needs Redis 7.0. */
    @Test
    void examNamesTheRightsThatItsUserLacks() {
        commands.aclSetuser(
                "limited",
                AclSetuserArgs.Builder.on()
                        .addPassword("secret")
                        .keyPattern("tandem:*")
                        .channelPattern("tandem:*")
                        .allCommands()
                        .removeCommand(CommandType.ZADD)
                        .removeCommand(CommandType.PUBLISH));
        String uri = redis.address().replace("redis://", "redis://limited:secret@");
        try (RedisStore store = RedisStore.open(RedisSettings.of(uri))) {
            RedisExam exam = store.examine().join().get(0);
            assertThat(exam.failure()).isNull();
            assertThat(exam.errors()).isEmpty();
            assertThat(exam.refused()).containsExactlyInAnyOrder("zadd", "publish");
            assertThat(Math.abs(exam.aheadMillis())).isLessThan(5_000);
        }
        RedisSettings others = RedisSettings.of(uri).withNamespace("others");
        try (RedisStore store = RedisStore.open(others)) {
            RedisExam exam = store.examine().join().get(0);
            assertThat(exam.refused())
                    .as("it may use no key of this namespace: %s", exam)
                    .containsExactly("eval");
        }
    }

    /** Returns how many commands the ACL has refused. */
    private long refusals() {
        return commands.aclLog().stream()
                .mapToLong(entry -> (Long) entry.get("count"))
                .sum();
    }

    private long calls(String command) {
        String stats =
                RedisPreflight.facts(commands.info("commandstats")).getOrDefault("cmdstat_" + command, "calls=0");
        return Long.parseLong(stats.replaceAll("calls=(\\d+).*", "$1"));
    }
}
