package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.BreakerPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.Result;
import dev.tandem.executor.RetryPolicy;
import dev.tandem.executor.TaskContext;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.local.LocalRedis;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.QueuePolicy;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A backlog waits while a service that handlers call is down: every attempt fails within microseconds. */
class OutageIT {

    private static final int TASKS = 20_000;
    private static final int PAYLOAD = 2_000;
    private static final long MAX_MEMORY = 24L << 20;
    private static final int CONCURRENCY = 64;

    private final Set<String> succeeded = ConcurrentHashMap.newKeySet();
    private final Set<String> keysTried = ConcurrentHashMap.newKeySet();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean away = true;

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void redisKeepsItsHeadroomAndTheRestWaitsInTheBroker() throws Exception {
        try (LocalRedis local = Brokers.ownRedis();
                RedisClient client = RedisClient.create(local.address());
                KafkaTestQueue topic = new KafkaTestQueue("outage", 4, local.address())) {
            RedisCommands<String, String> redis = client.connect().sync();
            redis.configSet("maxmemory", Long.toString(MAX_MEMORY));
            publish(topic, TASKS, PAYLOAD);
            try (RedisStore store = RedisStore.open(RedisSettings.of(local.address()));
                    Executor executor = executor(queue(topic, store).breaker(BreakerPolicy.OFF))) {
                executor.start();
                assertStaysBelowMaxMemory(redis);
                assertThat(failed.get()).isGreaterThan(100);
                assertThat(store.status().connected()).isTrue();
                assertThat(store.status().detail()).contains("there is no room", "maxmemory is " + MAX_MEMORY);
                assertThat(executor.status().get(0).partitionsWithoutRoom()).isEqualTo(4);
                assertThat(executor.status().get(0).withheld()).contains("no room");

                away = false;

                await("all tasks to succeed after the outage")
                        .atMost(TestQueue.PATIENCE)
                        .until(() -> succeeded.size() == TASKS);
                topic.awaitAllCommitted();
                await().until(() -> executor.status().get(0).withheld() == null);
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aPartitionsBoundHoldsAndTheRestWaitsInTheBroker() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("bounded", 1);
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Executor executor = executor(
                        queue(topic, store).breaker(BreakerPolicy.OFF).custody(new CustodyBounds(200, 1 << 30)))) {
            publish(topic, 2_000, 10);
            executor.start();
            await().until(() -> executor.status().get(0).partitionsWithoutRoom() == 1);
            assertThat(executor.status().get(0).healthy()).isTrue();
            await("all that Redis holds to be tried again").until(() -> failed.get() > 1_000);
            assertThat(keysTried)
                    .as("200, and what ran or was claimed at the bound")
                    .hasSizeBetween(200, 200 + 4 * CONCURRENCY);

            away = false;

            await("all tasks to succeed after the outage")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> succeeded.size() == 2_000);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void startsAreSlowedDownAndOtherQueuesDoNotNotice() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("slowed", 4);
                KafkaTestQueue other = new KafkaTestQueue("other", 4);
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Executor executor = Executor.builder()
                        .id("worker")
                        .queue(queue(topic, store)
                                .breaker(new BreakerPolicy(true, 0.9, 50, Duration.ofSeconds(10)))
                                .build())
                        .queue(queue(other, store)
                                .handler("other", this::succeed)
                                .build())
                        .build()) {
            publish(topic, 5_000, 10);
            executor.start();
            await().until(() -> executor.status().get(0).slowed());
            assertThat(executor.status().get(0).withheld()).contains("starts are slowed down to 1 a second");
            for (int number = 0; number < 1_000; number++) {
                other.send("other" + number, new byte[10], KafkaTestQueue.header("tandem-type", "other"));
            }
            other.flush();
            await("the other queue").atMost(TestQueue.PATIENCE).until(() -> succeeded.size() == 1_000);
            // Ended when the breaker opened, running then, and one a second since.
            assertThat(failed.get()).isLessThan(2_000);
            long before = failed.get();
            await("probes").until(() -> failed.get() > before + 1);
            assertThat(executor.status().get(0).slowed()).isTrue();
            assertThat(executor.status().get(1).slowed()).isFalse();

            away = false;

            await("all tasks to succeed after the outage")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> succeeded.size() == 6_000);
            assertThat(executor.status().get(0).slowed()).isFalse();
        }
    }

    private static void publish(KafkaTestQueue topic, int count, int bytes) {
        for (int number = 0; number < count; number++) {
            topic.send("k" + number, new byte[bytes]);
        }
        topic.flush();
    }

    private static void assertStaysBelowMaxMemory(RedisCommands<String, String> redis) throws InterruptedException {
        long highest = 0;
        for (int look = 0; look < 60; look++) {
            highest = Math.max(highest, usedMemory(redis));
            Thread.sleep(100);
        }
        assertThat(highest).as("the most memory that Redis used").isLessThan(MAX_MEMORY);
    }

    private static long usedMemory(RedisCommands<String, String> redis) {
        Matcher used = Pattern.compile("used_memory:(\\d+)").matcher(redis.info("memory"));
        assertThat(used.find()).isTrue();
        return Long.parseLong(used.group(1));
    }

    private static Executor executor(QueueSpec.Builder queue) {
        return Executor.builder().id("worker").queue(queue.build()).build();
    }

    private QueueSpec.Builder queue(KafkaTestQueue topic, RedisStore store) {
        return QueueSpec.queue(topic.name())
                .source(new KafkaSource(KafkaSettings.of(Brokers.kafka().bootstrapServers(), topic.name())))
                .store(store)
                .policy(QueuePolicy.ordered(CONCURRENCY))
                .maxAttempts(1_000)
                .retry(RetryPolicy.fixed(Duration.ofSeconds(2)))
                .defaultType("it")
                .handler("it", this::call);
    }

    private Result call(TaskContext task) {
        keysTried.add(String.valueOf(task.key()));
        if (away) {
            failed.incrementAndGet();
            throw new IllegalStateException("no connection");
        }
        return succeed(task);
    }

    private Result succeed(TaskContext task) {
        succeeded.add(task.id());
        return Result.done();
    }
}
