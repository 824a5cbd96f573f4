package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Result;
import dev.tandem.executor.BreakerPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.PortReservations;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server process with little memory takes over a partition with very many halted keys, and runs the tasks of other keys.
 * Prints how long that took. {@code -Dtandem.halted.keys=N} says how many keys are halted first.
 */
@EnabledIfSystemProperty(named = "tandem.halted.keys", matches = "\\d+")
class HaltedKeysMemoryIT {

    private static final int HALTED = Integer.getInteger("tandem.halted.keys", 0);
    private static final int OTHERS = 6_000;
    private static final int RATE = 200;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void aServerOf256MegabytesRunsTheTasksOfOtherKeys(@TempDir Path folder) throws Exception {
        try (LocalRedis local = Brokers.ownRedis();
                RedisClient client = RedisClient.create(local.address());
                TestTopic topic = new TestTopic("halted", 1)) {
            RedisCommands<String, String> redis = client.connect().sync();
            long begin = System.nanoTime();
            haltKeys(topic, local, redis);
            print("halted %d keys in %d s; Redis uses %s", HALTED, seconds(begin), memory(redis));
            int port = PortReservations.reserve();
            begin = System.nanoTime();
            try (LocalProcess server = start(topic, local, port, folder)) {
                topic.publish("first", new byte[64]);
                topic.flush();
                awaitSucceeded(server, topic, redis, 1);
                print("the first task of another key had run %d ms after the start", millis(begin));
                begin = System.nanoTime();
                long slowest = runOthers(server, topic, redis);
                print("%d tasks at %d/s took %d ms, a second's at most %d ms", OTHERS, RATE, millis(begin), slowest);
                HttpResponse<String> queue = get(port, "/api/v1/queues/" + topic.name());
                assertThat(queue.statusCode()).isEqualTo(200);
                assertThat(queue.body()).contains("\"blockedKeys\":" + HALTED);
                assertThat(get(port, "/api/v1/queues/" + topic.name() + "/keys").statusCode())
                        .isEqualTo(200);
                get(port, "/actuator/prometheus")
                        .body()
                        .lines()
                        .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\"")
                                || line.startsWith("jvm_gc_pause_seconds"))
                        .forEach(line -> print("%s", line));
                assertThat(server.isRunning()).isTrue();
            }
        }
    }

    private static void haltKeys(TestTopic topic, LocalRedis local, RedisCommands<String, String> redis) {
        try (RedisStore store = RedisStore.open(RedisSettings.of(local.address()));
                Executor executor = Executor.builder()
                        .id("halting")
                        .queue(QueueSpec.queue(topic.name())
                                .source(new KafkaSource(
                                        KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic.name())))
                                .store(store)
                                .policy(QueuePolicy.ordered(512).withMaxBlockedKeys(10_000_000))
                                .breaker(BreakerPolicy.OFF)
                                .defaultType("it")
                                .handler("it", task -> Result.dead("the test says so"))
                                .build())
                        .build()) {
            executor.start();
            for (int key = 0; key < HALTED; key++) {
                topic.publish("halted-" + key, new byte[64]);
            }
            topic.awaitAllCommitted(LIMIT);
            await("halted keys")
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> redis.hlen(key(topic, "blocked")) >= HALTED);
        }
    }

    private static LocalProcess start(TestTopic topic, LocalRedis local, int port, Path folder) throws IOException {
        String queue = "--tandem.queues." + topic.name();
        return LocalProcess.java(
                        "server",
                        System.getProperty("java.class.path"),
                        List.of("-Xmx256m"),
                        TandemServer.class.getName(),
                        List.of(
                                "--server.port=" + port,
                                "--tandem.api.login=none",
                                "--tandem.kafka.bootstrap-servers="
                                        + Brokers.kafka().bootstrapServers(),
                                "--tandem.redis.uri=" + local.address(),
                                queue + ".source=kafka",
                                queue + ".handler=noop",
                                queue + ".max-blocked-keys=10000000"))
                .log(folder.resolve("server.log"))
                .disposable()
                .build()
                .start();
    }

    /** Returns how many milliseconds the tasks of one second took at most. */
    private static long runOthers(LocalProcess server, TestTopic topic, RedisCommands<String, String> redis)
            throws InterruptedException {
        long slowest = 0;
        for (int sent = 0; sent < OTHERS; sent += RATE) {
            long begin = System.nanoTime();
            for (int i = 0; i < RATE; i++) {
                topic.publish("other-" + (sent + i) % 1_000, new byte[64]);
            }
            topic.flush();
            awaitSucceeded(server, topic, redis, 1 + sent + RATE);
            long took = millis(begin);
            slowest = Math.max(slowest, took);
            Thread.sleep(Math.max(0, 1_000 - took));
        }
        return slowest;
    }

    private static void awaitSucceeded(
            LocalProcess server, TestTopic topic, RedisCommands<String, String> redis, int count) {
        await("tasks of other keys")
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(20))
                .failFast("the server ended", () -> !server.isRunning())
                .until(() -> {
                    String succeeded = redis.hget(key(topic, "stats"), "succeeded");
                    return succeeded != null && Long.parseLong(succeeded) >= count;
                });
    }

    private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(60))
                        .build(),
                BodyHandlers.ofString());
    }

    private static String key(TestTopic topic, String name) {
        return "tandem:{" + topic.name() + "/0}:" + name;
    }

    private static String memory(RedisCommands<String, String> redis) {
        return redis.info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory_human"))
                .findFirst()
                .orElse("?");
    }

    private static long millis(long since) {
        return (System.nanoTime() - since) / 1_000_000;
    }

    private static long seconds(long since) {
        return millis(since) / 1_000;
    }

    private static void print(String text, Object... values) {
        System.out.printf("halted keys: " + text + "%n", values);
    }
}
