package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A server notices, and says, that Redis has become unfit, and that nobody works on partitions. */
@Execution(ExecutionMode.CONCURRENT)
class UnfitRedisIT {

    @Test
    void healthSaysWithinSecondsThatRedisIsNotFitAnyMore() {
        String queue = Brokers.kafka().topic("unfit-later", 2);
        try (LocalRedis redis = Brokers.ownRedis();
                RunningServer server = new RunningServer(settings(queue, redis))) {
            awaitWell(server);
            configure(redis, "appendonly", "no");
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                JsonNode health = server.get("/actuator/health").json();
                assertThat(health.path("status").asString()).isEqualTo("DOWN");
                assertThat(detail(health, "redis").path("redis").asString()).contains("appendonly is off");
            });
            submit(server, queue, "later");

            configure(redis, "appendonly", "yes");
            awaitWell(server);
            await().atMost(PATIENCE).until(() -> succeeded(server, queue) == 1);
        }
    }

    /** A plain consumer stands for a process that Kafka takes for a healthy member, and that starts nothing. */
    @Test
    void healthNamesPartitionsThatNobodyWorksOn() {
        String queue = Brokers.kafka().topic("held-still", 4);
        try (LocalRedis redis = Brokers.ownRedis();
                RunningServer server = new RunningServer(settings(queue, redis))) {
            awaitWell(server);
            await().atMost(PATIENCE).until(() -> partitions(server, queue) == 4);
            try (Idler idler = new Idler(queue)) {
                await().atMost(PATIENCE).until(() -> partitions(server, queue) == 2);
                await().atMost(PATIENCE).untilAsserted(() -> {
                    assertThat(idler.isAlive()).isTrue();
                    assertThat(queueOf(server, queue).path("unowned").asString())
                            .matches("no executor works on partitions \\d, \\d, so tasks wait");
                });
                assertThat(server.get("/actuator/health").status()).isEqualTo(200);
                assertThat(server.get("/actuator/prometheus").body())
                        .contains("tandem_queue_unowned_partitions{queue=\"" + queue + "\"} 2.0");
            }
            await().atMost(PATIENCE)
                    .until(() -> !queueOf(server, queue).has("unowned") && partitions(server, queue) == 4);
        }
    }

    /** A member of the queue's consumer group that polls and does nothing else. */
    private static final class Idler extends Thread implements AutoCloseable {

        private final String queue;
        private volatile boolean closed;

        Idler(String queue) {
            this.queue = queue;
            start();
        }

        @Override
        public void run() {
            Properties properties = new Properties();
            properties.put(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, Brokers.kafka().bootstrapServers());
            properties.put(ConsumerConfig.GROUP_ID_CONFIG, "tandem." + queue);
            properties.put(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
            properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
            try (KafkaConsumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.subscribe(List.of(queue));
                while (!closed) {
                    consumer.poll(Duration.ofMillis(100));
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            try {
                join(PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Map<String, String> settings(String queue, LocalRedis redis) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.redis.uri", redis.address());
        settings.put("tandem.queues." + queue + ".source", "kafka");
        settings.put("tandem.queues." + queue + ".handler", "noop");
        return settings;
    }

    private static void awaitWell(RunningServer server) {
        server.awaitHealth();
    }

    private static JsonNode detail(JsonNode health, String part) {
        return health.path("components").path(part).path("details");
    }

    /** Returns what the server's health says of its queue. */
    private static JsonNode queueOf(RunningServer server, String queue) {
        return detail(server.get("/actuator/health").json(), "queues").path(queue);
    }

    private static int partitions(RunningServer server, String queue) {
        return queueOf(server, queue).path("partitions").asInt();
    }

    private static long succeeded(RunningServer server, String queue) {
        return server.get("/api/v1/queues/" + queue)
                .json()
                .path("counts")
                .path("succeeded")
                .asLong();
    }

    private static void submit(RunningServer server, String queue, String id) {
        assertThat(server.post("/api/v1/queues/" + queue + "/tasks", "{\"id\": \"" + id + "\", \"payload\": 1}")
                        .status())
                .isEqualTo(202);
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
