package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.local.LocalRedis;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.PartitionView;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.TaskState;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines of tenants outlive their owner and the setting that made them, and leave Redis room for others. */
@Execution(ExecutionMode.CONCURRENT)
class TenantLinesRabbitIT {

    private static final String FAIR = ", fair: { by: \"header:tenant\" }";
    private static final int PREFETCH = 300;
    private static final int KEYS = 60;
    private static final long MAX_MEMORY = 16_000_000;
    private static final double FOR_TASKS = 0.9 * MAX_MEMORY;

    private final String queue = UniqueNames.fresh("lines");
    private final Queue<Integer> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch open = new CountDownLatch(1);

    @TempDir
    private Path folder;

    private Path settings(String name, String redis, String more) throws IOException {
        return Files.writeString(
                folder.resolve(name), """
                tandem.rabbit.uri: "%s"
                tandem.redis.uri: "%s"
                tandem.redis.horizon: 1s
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: rabbit, ordering: key, partitions: 1, prefetch: %d, concurrency: 4%s }
                """.formatted(Brokers.rabbit().uri(), redis, queue, PREFETCH, more));
    }

    private Tandem start(Path settings) {
        return Tandem.connect(settings)
                .queue(queue)
                .handler("ship", Ship.class, this::run)
                .start();
    }

    private void run(Ship ship, TaskContext task) throws InterruptedException {
        open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        ran.add(ship.items());
    }

    private void submit(Tandem tandem, int tasks, String payload) throws Exception {
        List<TaskRef<?>> accepted = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            accepted.add(tandem.client()
                    .submit(TaskRequest.of(queue, "ship", new Ship(payload, i))
                            .withKey("k" + i % KEYS)
                            .with(header("tenant", "big"))));
        }
        for (TaskRef<?> each : accepted) {
            each.await(PATIENCE);
        }
    }

    private PartitionView counts(RedisStore store) {
        return store.inspector().counts(queue).join().stream()
                .findFirst()
                .orElseThrow(() -> new AssertionError("Redis does not know the queue yet"));
    }

    private void awaitAllInOrder(int tasks) {
        await().atMost(PATIENCE).until(() -> ran.size() >= tasks);
        assertThat(ran).doesNotHaveDuplicates().hasSize(tasks);
        IntStream.range(0, KEYS)
                .forEach(key -> assertThat(ran.stream().filter(number -> number % KEYS == key))
                        .isSorted());
    }

    /** None of its tasks has ended, so each runs once. */
    @ParameterizedTest
    @ValueSource(strings = {FAIR, ""})
    void linesOfAKilledOwnerAreWorkedOffByTheNextOneWithTenantsOrWithout(String fair) throws Exception {
        int tasks = 3 * PREFETCH;
        String redis = Brokers.redis().uri();
        Path killed = settings("killed.yml", redis, FAIR);
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "lines",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        LimitsProgram.class.getName(),
                        List.of(killed.toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                RedisStore store = RedisStore.open(RedisSettings.of(redis));
                Tandem submitting = Tandem.connect(killed)
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("ship", Ship.class, this::run)
                        .start()) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> counts(store).owner() != null);
            submit(submitting, tasks, "small");
            await("lines").atMost(PATIENCE).until(() -> counts(store).inLines() > KEYS / 2);
            process.kill();
        }

        open.countDown();
        try (RedisStore store = RedisStore.open(RedisSettings.of(redis));
                Tandem next = start(settings("next.yml", redis, fair))) {
            awaitAllInOrder(tasks);
            await().atMost(PATIENCE).until(() -> next.status().problems().isEmpty());
            await("nothing is left")
                    .atMost(PATIENCE)
                    .until(() -> counts(store).tasks().entrySet().stream()
                            .filter(each -> each.getKey() != TaskState.SUCCEEDED)
                            .allMatch(each -> each.getValue() == 0));
            assertThat(counts(store).inLines()).isZero();
        }
    }

    /** The burst is larger than maxmemory. */
    @Test
    void aBurstLeavesNearlyHalfOfMaxMemoryToOthers() throws Exception {
        int tasks = 1_600;
        try (LocalRedis local = Brokers.ownRedis();
                RedisClient client = RedisClient.create(local.address());
                StatefulRedisConnection<String, String> redis = client.connect();
                RedisStore store = RedisStore.open(RedisSettings.of(local.address()));
                Tandem tandem = start(settings("full.yml", local.address(), FAIR))) {
            redis.sync().configSet("maxmemory", Long.toString(MAX_MEMORY));
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> counts(store).owner() != null);
            submit(tandem, tasks, "x".repeat(10_000));
            awaitNoMoreGoesToRedis(store);
            assertThat(usedMemory(redis)).isBetween(0.4 * FOR_TASKS, 0.65 * FOR_TASKS);
            assertThat(counts(store).tasks().get(TaskState.PARKED)).isPositive();

            open.countDown();
            awaitAllInOrder(tasks);
        }
    }

    private void awaitNoMoreGoesToRedis(RedisStore store) {
        long[] before = new long[1];
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(2)).until(() -> {
            PartitionView now = counts(store);
            long held = now.tasks().values().stream().mapToLong(each -> each).sum();
            boolean stays = held == before[0] && held > 2 * PREFETCH / 3;
            before[0] = held;
            return stays;
        });
    }

    private static double usedMemory(StatefulRedisConnection<String, String> redis) {
        Matcher found =
                Pattern.compile("(?m)^used_memory:(\\d+)").matcher(redis.sync().info("memory"));
        assertThat(found.find()).isTrue();
        return Double.parseDouble(found.group(1));
    }
}
