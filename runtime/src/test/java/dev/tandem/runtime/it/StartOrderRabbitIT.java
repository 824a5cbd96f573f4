package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.api.TaskOptions.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartOrderRabbitIT extends StartOrderSuite {

    private static final int PREFETCH = 400;
    private static final int LARGE = 1_600;
    private static final int SMALL_PREFETCH = 500;
    private static final int SLOW = 2_000;
    private static final int KEYS = 100;
    private static final int MEASURED = 20_000;
    private static final int MEASURED_PREFETCH = 5_000;

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.rabbit.uri", Brokers.rabbit().uri());
    }

    @Override
    String source() {
        return "rabbit";
    }

    /** Tasks that run fast are not put aside: the one of another is delivered once the rest of the burst fits with it. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "none"})
    void burstThatRunsFastDelaysTheTaskOfAnotherUntilTheRestFits(String ordering) throws Exception {
        Burst burst = new Burst(ordering, PREFETCH, LARGE, 4, 2);

        burst.runs();

        assertThat(burst.startsBefore.get())
                .as("tasks of a burst of %s that started before", LARGE)
                .isLessThan(LARGE);
    }

    /** The first tasks wait in their handlers until the burst has gone to the line of its tenant. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "none"})
    void burstThatRunsSlowlyDelaysTheTaskOfAnotherByAFewStarts(String ordering) throws Exception {
        Burst burst = new Burst(ordering, SMALL_PREFETCH, SLOW, 4, 1);
        burst.deliveredFirst = true;

        burst.runs();

        assertThat(burst.startsBefore.get())
                .as("tasks of a burst of %s that started before", SLOW)
                .isLessThan(20);
        assertThat(burst.ran).hasSize(SLOW + 2).doesNotHaveDuplicates();
        if (ordering.equals("key")) {
            for (int key = 0; key < KEYS; key++) {
                int its = key;
                assertThat(burst.ran.stream().filter(number -> number % KEYS == its && number != SLOW))
                        .isSorted();
            }
        }
    }

    /** Says how long a task behind a burst waits, for the documentation. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "none"})
    @Execution(ExecutionMode.SAME_THREAD)
    @EnabledIfSystemProperty(named = "bursts.measured", matches = "true")
    void measuresTheWaitBehindABurst(String ordering) throws Exception {
        Burst burst = new Burst(ordering, MEASURED_PREFETCH, MEASURED, 10, Integer.getInteger("bursts.millis", 5));

        burst.runs();

        System.out.printf(
                "ordering %s: behind %,d tasks, a wait of %.2f s, %,d started before; all after %.1f s%n",
                ordering, MEASURED, burst.waitNanos.get() / 1e9, burst.startsBefore.get(), burst.nanos / 1e9);
    }

    /** Tasks of one tenant, and one of another that was submitted last. All wait for it before the first one ends. */
    private final class Burst {
        private final Queue<Integer> ran = new ConcurrentLinkedQueue<>();
        /** Whether no task ends before all are delivered. Then there are few keys. */
        private boolean deliveredFirst;

        private final AtomicInteger startsBefore = new AtomicInteger(-1);
        private final AtomicLong waitNanos = new AtomicLong();
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final CountDownLatch open = new CountDownLatch(1);
        private final String queue = UniqueNames.fresh("bursts");
        private final String ordering;
        private final int prefetch;
        private final int size;
        private final int slots;
        private final int millis;
        private long openedAt;
        private long nanos;

        Burst(String ordering, int prefetch, int size, int slots, int millis) {
            this.ordering = ordering;
            this.prefetch = prefetch;
            this.size = size;
            this.slots = slots;
            this.millis = millis;
        }

        void runs() throws Exception {
            var builder = Tandem.builder()
                    .setting(broker().getKey(), broker().getValue())
                    .redis(Brokers.redis().uri())
                    .setting("tandem.redis.horizon", deliveredFirst ? "1s" : "3s")
                    .queue(queue)
                    .setting("source", source())
                    .setting("fair.by", "header:tenant")
                    .setting("ordering", ordering)
                    .setting("partitions", "1")
                    .setting("prefetch", String.valueOf(prefetch))
                    .setting("concurrency", String.valueOf(slots));
            try (Tandem tandem = builder.handler("ship", Ship.class, this::run).start()) {
                await().atMost(PATIENCE).until(() -> tandem.status().problems().isEmpty());
                List<TaskRef<?>> accepted = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    accepted.add(submit(tandem, "big", i));
                }
                for (TaskRef<?> each : accepted) {
                    each.await(PATIENCE);
                }
                submit(tandem, "small", size).await(PATIENCE);
                if (deliveredFirst) {
                    submit(tandem, "big", size + KEYS - 1, id("last")).await(PATIENCE);
                    await().atMost(PATIENCE).until(() -> isPutAside("last"));
                }
                openedAt = System.nanoTime();
                open.countDown();
                await().atMost(PATIENCE).until(() -> ended.get() == size + (deliveredFirst ? 2 : 1));
                nanos = System.nanoTime() - openedAt;
            }
        }

        private void run(Ship ship, TaskContext task) throws InterruptedException {
            open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            int before = started.getAndIncrement();
            ran.add(ship.items());
            if (ship.order().equals("small")) {
                startsBefore.set(before);
                waitNanos.set(System.nanoTime() - openedAt);
            }
            Thread.sleep(millis);
            ended.incrementAndGet();
        }

        /** Whether a task is in Redis. All that was published before it has been delivered then, for the broker keeps the order. */
        private boolean isPutAside(String id) {
            try (RedisStore store = SuiteRedis.of(source()).open()) {
                return !store.inspector().tasks(queue, id, 1).join().isEmpty();
            }
        }

        private TaskRef<?> submit(Tandem tandem, String tenant, int number, TaskOptions... more) {
            TaskRequest<?> request = TaskRequest.of(queue, "ship", new Ship(tenant, number))
                    .with(header("tenant", tenant))
                    .with(more);
            int keys = deliveredFirst ? KEYS : size + 1;
            TaskRequest<?> complete = "key".equals(ordering) ? request.withKey(tenant + number % keys) : request;
            return tandem.client().submit(complete);
        }
    }
}
