package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.api.TaskOptions.priority;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Priorities and tenants of a queue, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class StartOrderSuite {

    static final Duration PATIENCE = Brokers.PATIENCE;
    private static final int BURST = 3_000;

    private final String queue = UniqueNames.fresh("tenants");
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch open = new CountDownLatch(1);

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    private void run(Ship ship, TaskContext task) throws InterruptedException {
        open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        ran.add(String.valueOf(task.key()));
    }

    private TaskRef<?> submit(Tandem tandem, String key, TaskOptions options) {
        return tandem.client()
                .submit(TaskRequest.of(queue, "ship", new Ship("o", 1))
                        .withKey(key)
                        .with(options));
    }

    @Test
    void burstOfOneTenantDelaysTheTaskOfAnotherByAFewStartsAndPrioritiesComeFirst() throws Exception {
        try (Tandem tandem = Tandem.builder()
                .setting(broker().getKey(), broker().getValue())
                .redis(Brokers.redis().uri())
                .queue(queue)
                .setting("source", source())
                .setting("ordering", "key")
                .setting("partitions", "1")
                .setting("concurrency", "4")
                .setting("fair.by", "header:tenant")
                .handler("ship", Ship.class, this::run)
                .start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(tandem, "first", header("tenant", "big")).await(Duration.ofSeconds(10));
                return true;
            });
            List<TaskRef<?>> accepted = new ArrayList<>();
            for (int i = 0; i < BURST; i++) {
                accepted.add(submit(tandem, "big-" + i, header("tenant", "big")));
            }
            accepted.add(submit(tandem, "small", header("tenant", "small")));
            accepted.add(submit(tandem, "big-" + (BURST - 1), priority(9)));
            accepted.add(submit(tandem, "urgent", priority(9).and(header("tenant", "big"))));
            for (TaskRef<?> each : accepted) {
                each.await(PATIENCE);
            }
            // All of them are delivered soon, as nothing else is to be done. The first four wait in their handlers.
            await().pollDelay(Duration.ofSeconds(1))
                    .until(() -> tandem.status().problems().isEmpty());
            open.countDown();

            await().atMost(PATIENCE).until(() -> ran.size() >= BURST + 4);
            List<String> order = List.copyOf(ran);
            assertThat(order.indexOf("urgent")).isLessThan(20);
            assertThat(order.indexOf("small")).isLessThan(20);
            String last = "big-" + (BURST - 1);
            assertThat(order.indexOf(last))
                    .as("a priority does not help the tasks before it of its key")
                    .isGreaterThan(BURST - 20);
            assertThat(order).filteredOn(last::equals).hasSize(2);
        }
    }

    @Test
    void aTaskIsTriedAgainThoughManyOthersWaitForTheOnlySlot() throws Exception {
        int backlog = 300;
        try (Tandem tandem = Tandem.builder()
                .setting(broker().getKey(), broker().getValue())
                .redis(Brokers.redis().uri())
                .queue(queue)
                .setting("source", source())
                .setting("ordering", "key")
                .setting("partitions", "1")
                .setting("concurrency", "1")
                .setting("backoff.initial", "200ms")
                .handler("ship", Ship.class, this::runSlowly)
                .start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(tandem, "failing", priority(0)).await(Duration.ofSeconds(10));
                return true;
            });
            List<TaskRef<?>> accepted = new ArrayList<>();
            for (int i = 0; i < backlog; i++) {
                accepted.add(submit(tandem, "other-" + i, priority(0)));
            }
            for (TaskRef<?> each : accepted) {
                each.await(PATIENCE);
            }
            open.countDown();

            await().atMost(PATIENCE).until(() -> ran.size() == backlog + 2);
            assertThat(List.copyOf(ran).lastIndexOf("failing"))
                    .as("the second attempt, after a backoff of some 20 runs")
                    .isLessThan(backlog / 2);
        }
    }

    private void runSlowly(Ship ship, TaskContext task) throws InterruptedException {
        run(ship, task);
        Thread.sleep(10);
        if (task.attempt() == 1 && "failing".equals(task.key())) {
            throw new IllegalStateException("It fails once");
        }
    }

    @Test
    void tenantsStartByTheirWeights() throws Exception {
        int each = 300;
        try (Tandem tandem = Tandem.builder()
                .setting(broker().getKey(), broker().getValue())
                .redis(Brokers.redis().uri())
                .queue(queue)
                .setting("source", source())
                .setting("ordering", "key")
                .setting("partitions", "1")
                .setting("concurrency", "4")
                .setting("fair.by", "key-prefix:/")
                .setting("fair.weights.acme", "3")
                .handler("ship", Ship.class, this::run)
                .start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(tandem, "basic/first", TaskOptions.NONE).await(Duration.ofSeconds(10));
                return true;
            });
            List<TaskRef<?>> accepted = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                accepted.add(submit(tandem, "basic/" + i, TaskOptions.NONE));
                accepted.add(submit(tandem, "acme/" + i, TaskOptions.NONE));
            }
            for (TaskRef<?> task : accepted) {
                task.await(PATIENCE);
            }
            // All of them are delivered soon, as nothing else is to be done. The first four wait in their handlers.
            await().pollDelay(Duration.ofSeconds(1))
                    .until(() -> tandem.status().problems().isEmpty());
            open.countDown();

            await().atMost(PATIENCE).until(() -> ran.size() >= 2 * each + 1);
            assertThat(List.copyOf(ran).subList(20, 220))
                    .as("of 200 starts while both have tasks, three in four")
                    .filteredOn(key -> key.startsWith("acme/"))
                    .hasSizeBetween(135, 165);
        }
    }
}
