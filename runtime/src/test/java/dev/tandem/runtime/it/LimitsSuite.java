package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.RateLimitedException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.testkit.UniqueNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of the tasks that run at once in all executors, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class LimitsSuite extends LimitsTestBase {

    private final String queue = UniqueNames.fresh("limited");
    private final String limit = UniqueNames.fresh("erp");
    private final AtomicInteger mails = new AtomicInteger();
    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final Queue<Long> begins = new ConcurrentLinkedQueue<>();
    private final Queue<Called> called = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean told = new AtomicBoolean();
    private final CountDownLatch open = new CountDownLatch(1);
    private int sleepMillis = 20;
    private final AtomicLong busyNanos = new AtomicLong();

    private record Called(String key, int attempt) {}

    @AfterEach
    void stop() {
        open.countDown();
    }

    private Tandem start(Path settings) {
        return ready(Tandem.connect(settings)
                .queue(queue)
                .handler("ship", Ship.class, this::ship)
                .handler("mail", Ship.class, (ship, task) -> mails.incrementAndGet())
                .handler("call", Ship.class, this::call)
                .start());
    }

    private void call(Ship ship, TaskContext task) {
        called.add(new Called(String.valueOf(task.key()), task.attempt()));
        if ("call-0".equals(task.key()) && told.compareAndSet(false, true)) {
            throw new RateLimitedException(Duration.ofSeconds(10), "too many calls");
        }
    }

    private void ship(Ship ship, TaskContext task) throws InterruptedException {
        begins.add(System.nanoTime());
        begins();
        long begun = System.nanoTime();
        try {
            if (ship.items() == 0) {
                open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            Thread.sleep(sleepMillis);
            done.add(String.valueOf(task.key()));
        } finally {
            running.decrementAndGet();
            busyNanos.addAndGet(System.nanoTime() - begun);
        }
    }

    private void submit(Tandem tandem, String type, int count, int items) throws InterruptedException {
        // The first executor creates the topic.
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(TaskRequest.of(queue, type, new Ship("o", items))
                                .withKey(type + "-0"))
                        .await(Duration.ofSeconds(10))
                        .queue()
                        .equals(queue));
        List<TaskRequest<?>> others = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            others.add(TaskRequest.of(queue, type, new Ship("o", items)).withKey(type + "-" + i));
        }
        submit(tandem, others);
    }

    /** The tokens by which two clocks of a machine may differ. */
    private static final int SLACK = 5;

    @Test
    void executorsTogetherRunAsManyTasksAsTheQueueMayAndNearlyAllTheTime() throws Exception {
        Path settings = settings(queue, ", max-running: 4", "");
        start(settings);
        Tandem tandem = start(settings);
        submit(tandem, "ship", 400, 1);

        await().atMost(PATIENCE).until(() -> done.size() == 400);

        assertThat(most).hasValue(4);
        try (RedisStore store = SuiteRedis.of(source()).open()) {
            await("nobody needs permits any more")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    store.limits().show("queue:" + queue).join().holders())
                            .allMatch(each -> each.used() == 0 && each.waiting() == 0));
        }
    }

    /** Says how much of the permits' time is used once the processes are warm, for the documentation. */
    @ParameterizedTest
    @ValueSource(ints = {20, 2})
    @EnabledIfSystemProperty(named = "limits.measured", matches = "true")
    void measuresTheUseOfPermits(int millis) throws Exception {
        int most = 10;
        int tasks = 160_000 / millis;
        sleepMillis = millis;
        Path settings = settings(queue, ", max-running: " + most, "");
        start(settings);
        Tandem tandem = start(settings);
        submit(tandem, "ship", tasks, 1);

        await().pollInterval(Duration.ofMillis(10)).atMost(PATIENCE).until(() -> done.size() > tasks / 4);
        int before = done.size();
        long busyBefore = busyNanos.get();
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(10)).atMost(PATIENCE).until(() -> done.size() > tasks * 0.9);

        double seconds = (System.nanoTime() - begun) / 1e9;
        System.out.printf(
                "%s, runs of %d ms, two executors: %.1f %% of %d permits in use, %.0f tasks a second%n",
                source(),
                millis,
                (busyNanos.get() - busyBefore) / 1e7 / most / seconds,
                most,
                (done.size() - before) / seconds);
    }

    @Test
    void tasksOfALimitedTypeLeaveOthersTheirSlots() throws Exception {
        Tandem tandem =
                start(settings(queue, "", "tandem.limits.%s: { max-running: 2, types: [ship] }".formatted(limit)));
        submit(tandem, "ship", 60, 0);
        await().atMost(PATIENCE).until(() -> running.get() == 2);
        submit(tandem, "mail", 60, 1);

        await().atMost(PATIENCE).until(() -> mails.get() == 60);
        assertThat(most).hasValue(2);
        assertThat(done).isEmpty();
        try (RedisStore store = SuiteRedis.of(source()).open()) {
            PermitView view = store.limits().show(limit).join();
            assertThat(view.configured()).isEqualTo(2);
            assertThat(view.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.used()).isEqualTo(2);
                assertThat(holder.waiting()).isPositive();
            });
        }
        sleepMillis = 1;
        open.countDown();
        await().atMost(PATIENCE).until(() -> done.size() == 60);
        assertThat(most).hasValue(2);
    }

    @Test
    void executorsTogetherStartTasksAtTheRateAndASlowDownPausesItsKeyOnly() throws Exception {
        sleepMillis = 0;
        Path settings = settings(queue, "", """
                tandem.rate-limits.%s: { rate: 100/s, burst: 10, types: [ship] }
                tandem.rate-limits.%s-each: { rate: 1000/s, per: key, types: [call] }
                """.formatted(limit, limit));
        start(settings);
        Tandem tandem = start(settings);
        long submitted = System.nanoTime();
        submit(tandem, "ship", 200, 1);
        submit(tandem, "call", 20, 1);

        await().atMost(PATIENCE).until(() -> done.size() == 200 && called.size() == 21);

        List<Long> times = begins.stream().sorted().toList();
        for (int i = 0; i < times.size(); i++) {
            // Ten may begin at once, then there is a token each 10 ms. A task may be late behind its token, but never
            // before it.
            assertThat(times.get(i) - submitted)
                    .as("start of task %s", i)
                    .isGreaterThan((i - 10 - SLACK) * 10_000_000L);
        }
        // The first call of call-0 was told to slow down for ten seconds, and no other one had to wait for it.
        List<String> keys =
                called.stream().map(each -> each.key() + " " + each.attempt()).toList();
        assertThat(keys).last().isEqualTo("call-0 1");
        assertThat(keys)
                .containsOnlyOnce("call-1 1")
                .filteredOn("call-0 1"::equals)
                .hasSize(2);
        try (RedisStore store = SuiteRedis.of(source()).open()) {
            assertThat(store.limits().rateNames().join().others()).contains(limit, limit + "-each");
            assertThat(store.limits().showRate(limit, 1).join())
                    .as("what the API shows of the rate limit")
                    .hasValueSatisfying(
                            view -> assertThat(view.info()).isEqualTo(new RateInfo(limit, 10_000, 10, null)));
        }
    }

    @Test
    void thePermitsOfAKilledExecutorLapse() throws Exception {
        Path settings =
                settings(queue, "", "tandem.limits.%s: { max-running: 4, queues: [%s] }".formatted(limit, queue));
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "limits",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        LimitsProgram.class.getName(),
                        List.of(settings.toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                Tandem submitting = Tandem.connect(settings)
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("ship", Ship.class, (ship, task) -> {})
                        .start()) {
            submit(submitting, "ship", 30, 0);
            await().atMost(PATIENCE)
                    .until(() ->
                            Files.exists(journal) && Files.readAllLines(journal).size() == 4);
            start(settings);
            try (RedisStore store = SuiteRedis.of(source()).open()) {
                await("the others wait")
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(
                                        store.limits().show(limit).join().holders())
                                .anyMatch(each -> each.held() == 4)
                                .anyMatch(each -> each.waiting() > 0 && each.held() == 0));
            }
            assertThat(running).hasValue(0);
            process.kill();
        }
        await("all permits are there again")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(running).hasValue(4));
        open.countDown();
        await().atMost(PATIENCE).until(() -> done.size() == 30);
        assertThat(most).hasValue(4);
    }
}
