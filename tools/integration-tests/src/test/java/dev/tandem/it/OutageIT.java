package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Result;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.executor.BreakerPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.local.LocalRedis;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.CustodyBounds;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A backlog waits while a service that handlers call is down: every attempt fails within microseconds. */
@Execution(ExecutionMode.CONCURRENT)
class OutageIT {

    /** The kind of broker from which the tasks come. */
    enum Broker {
        KAFKA,
        RABBIT_ORDERED,
        RABBIT_UNORDERED;

        TestQueue open(String prefix, String redis) {
            return switch (this) {
                case KAFKA -> new KafkaTestQueue(prefix, PARTITIONS, redis);
                case RABBIT_ORDERED -> new RabbitTestQueue(prefix, true, redis);
                case RABBIT_UNORDERED -> new RabbitTestQueue(prefix, false, redis);
            };
        }
    }

    private static final int PARTITIONS = TestWorker.RABBIT_PARTITIONS;
    private static final int TASKS = 12_000;
    private static final int PAYLOAD = 2_000;
    private static final long MAX_MEMORY = 24L << 20;
    private static final int CONCURRENCY = 64;
    private static final int BOUND = 200;
    private static final int UNANSWERED = CoreSettings.DEFAULTS.batchesInFlight();

    private final Set<String> succeeded = ConcurrentHashMap.newKeySet();
    private final Set<String> tried = ConcurrentHashMap.newKeySet();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean away = true;

    @ParameterizedTest
    @EnumSource
    void redisKeepsItsHeadroomAndTheRestWaitsInTheBroker(Broker broker) {
        try (LocalRedis local = Brokers.ownRedis();
                RedisClient client = RedisClient.create(local.address());
                TestQueue queue = broker.open("outage", local.address());
                RedisStore store = RedisStore.open(RedisSettings.of(local.address()));
                Executor executor = executor(queue(queue, store).breaker(BreakerPolicy.OFF))) {
            RedisCommands<String, String> redis = client.connect().sync();
            redis.configSet("maxmemory", Long.toString(MAX_MEMORY));
            executor.start();
            publish(queue, TASKS, PAYLOAD);
            assertStaysBelowMaxMemory(redis, executor);
            assertThat(tried).hasSizeLessThan(TASKS);
            assertThat(store.status().connected()).isTrue();
            assertThat(store.status().detail()).contains("there is no room", "maxmemory is " + MAX_MEMORY);
            assertThat(executor.status().get(0).withheld()).contains("no room");

            away = false;

            await("all tasks to succeed after the outage")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> succeeded.size() == TASKS);
            queue.awaitAllSettled();
            await().until(() -> executor.status().get(0).withheld() == null);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPartitionsBoundHoldsAndTheRestWaitsInTheBroker(Broker broker) {
        try (TestQueue queue = broker.open("bounded", Brokers.redis().uri());
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Executor executor = executor(
                        queue(queue, store).breaker(BreakerPolicy.OFF).custody(new CustodyBounds(BOUND, 1 << 30)))) {
            executor.start();
            // Of an unordered queue, one that consumes later might get less than its bound.
            await().until(() -> executor.status().get(0).partitions() == PARTITIONS);
            publish(queue, 4_000, 10);
            await().until(() -> executor.status().get(0).partitionsWithoutRoom() == PARTITIONS);
            assertThat(executor.status().get(0).healthy()).isTrue();
            await("all that Redis holds to be tried again").until(() -> failed.get() > 5L * PARTITIONS * BOUND);
            assertThat(tried)
                    .as("what Redis holds, and what ran or was claimed at the bound")
                    .hasSizeBetween(PARTITIONS * BOUND, PARTITIONS * (BOUND + UNANSWERED * CONCURRENCY));

            away = false;

            await("all tasks to succeed after the outage")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> succeeded.size() == 4_000);
            queue.awaitAllSettled();
        }
    }

    @ParameterizedTest
    @EnumSource
    void startsAreSlowedDownAndOtherQueuesDoNotNotice(Broker broker) {
        try (TestQueue queue = broker.open("slowed", Brokers.redis().uri());
                TestQueue other = broker.open("other", Brokers.redis().uri());
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
                Executor executor = Executor.builder()
                        .id("worker")
                        .queue(queue(queue, store)
                                .breaker(new BreakerPolicy(true, 0.9, 50, Duration.ofSeconds(10)))
                                .build())
                        .queue(queue(other, store)
                                .handler("other", this::succeed)
                                .build())
                        .build()) {
            executor.start();
            publish(queue, 5_000, 10);
            await().until(() -> executor.status().get(0).slowed());
            assertThat(executor.status().get(0).withheld()).contains("starts are slowed down to 1 a second");
            other.awaitReady();
            for (int number = 0; number < 1_000; number++) {
                other.publish("other" + number, new byte[10], Map.of("tandem-type", "other"));
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
            queue.awaitAllSettled();
        }
    }

    private static void publish(TestQueue queue, int count, int bytes) {
        queue.awaitReady();
        for (int number = 0; number < count; number++) {
            queue.publish("k" + number, new byte[bytes], Map.of());
        }
        queue.flush();
    }

    /** Looks at the memory until no partition has room and what Redis holds was tried again and again. */
    private void assertStaysBelowMaxMemory(RedisCommands<String, String> redis, Executor executor) {
        AtomicLong highest = new AtomicLong();
        await().atMost(TestQueue.PATIENCE).pollInterval(TestQueue.POLL_INTERVAL).until(() -> {
            highest.accumulateAndGet(usedMemory(redis), Math::max);
            return executor.status().get(0).partitionsWithoutRoom() == PARTITIONS && failed.get() > 3L * tried.size();
        });
        assertThat(highest.get()).as("the most memory that Redis used").isLessThan(MAX_MEMORY);
    }

    /** Returns what Redis compares with maxmemory: without the buffer of its append-only file, which a busy disk fills. */
    private static long usedMemory(RedisCommands<String, String> redis) {
        String facts = redis.info("memory");
        return number(facts, "used_memory") - number(facts, "mem_not_counted_for_evict");
    }

    private static long number(String facts, String name) {
        Matcher found =
                Pattern.compile("^" + name + ":(\\d+)", Pattern.MULTILINE).matcher(facts);
        assertThat(found.find()).as(name).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static Executor executor(QueueSpec.Builder queue) {
        return Executor.builder().id("worker").queue(queue.build()).build();
    }

    private QueueSpec.Builder queue(TestQueue queue, RedisStore store) {
        TestWorker.Options options = queue.worker();
        return QueueSpec.queue(queue.name())
                .source(options.source())
                .store(store)
                .policy(options.policy())
                .maxAttempts(1_000)
                .retry(RetryPolicy.fixed(Duration.ofSeconds(2)))
                .defaultType("it")
                .handler("it", this::call);
    }

    private Result call(TaskContext task) {
        tried.add(task.id());
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
