package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.delay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that fan out, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class FanOutSuite {

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));

    static final int MANY = 10_000;

    /** From this number on, subtasks run until they are interrupted. */
    private static final int SLOW = 1_000_000;

    private final String queue = UniqueNames.fresh("fans");
    private final List<FanOutResult> results = new CopyOnWriteArrayList<>();
    private final AtomicLong finalAt = new AtomicLong();
    private final List<String> ids = new CopyOnWriteArrayList<>();
    /** How often each subtask ran. */
    private final Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 4, backoff: { initial: 50ms } }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    /** Starts a program whose masters fan out as the handler says, and whose subtasks fail as their payloads say. */
    private Tandem start(Master master) throws IOException {
        Tandem tandem = Tandem.connect(settings())
                .queue(queue)
                .handler("import", Integer.class, master::run)
                .handler("row", Integer.class, this::row)
                .handler("done", Integer.class, (number, task) -> {
                    finalAt.set(System.nanoTime());
                    results.add(task.fanOutResult().orElseThrow());
                })
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    interface Master {
        void run(Integer count, TaskContext task) throws Exception;
    }

    private void row(Integer number, TaskContext task) throws InterruptedException {
        ran.computeIfAbsent(number, none -> new AtomicInteger()).incrementAndGet();
        if (number >= SLOW) {
            new CountDownLatch(1).await();
        }
        if (number < 0) {
            throw new FatalTaskException("Row " + number + " is bad");
        }
    }

    private FanOut done() {
        return FanOut.then(TaskRequest.of(queue, "done", 0));
    }

    private TaskRequest<?> subtask(int number) {
        return TaskRequest.of(queue, "row", number);
    }

    private void submit(Tandem tandem, int count) {
        await("submission")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                                .submit(TaskRequest.of(queue, "import", count).withKey("import"))
                                .await(Duration.ofSeconds(10))
                        != null);
    }

    private FanOutResult awaitResult() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(results).hasSize(1));
        return results.get(0);
    }

    private FanOutResult awaitResultOf(String id) {
        return await().atMost(PATIENCE)
                .until(
                        () -> results.stream()
                                .filter(each -> each.id().equals(id))
                                .findFirst()
                                .orElse(null),
                        Objects::nonNull);
    }

    @Test
    void theFinalTaskComesOnceWhenAllSubtasksHaveEnded() throws IOException {
        AtomicLong begun = new AtomicLong();
        try (Tandem tandem = start((count, task) -> {
            begun.set(System.nanoTime());
            ids.add(task.fanOut(IntStream.range(0, count).mapToObj(this::subtask), done())
                    .id());
        })) {
            submit(tandem, MANY);
            FanOutResult result = awaitResult();
            System.out.println(MANY + " subtasks and the final task over " + source() + " took "
                    + (finalAt.get() - begun.get()) / 1_000_000 + " ms");

            assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
            assertThat(result.id()).isEqualTo(ids.get(0));
            assertThat(result.succeeded()).isEqualTo(MANY);
            assertThat(ran.keySet())
                    .isEqualTo(Set.copyOf(IntStream.range(0, MANY).boxed().toList()));
            assertThat(ran.values()).allSatisfy(times -> assertThat(times).hasValue(1));
        }
    }

    @Test
    void aKilledMasterGoesOnWithWhatIsMissing() throws Exception {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "fans",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        FanOutProgram.class.getName(),
                        List.of(settings().toString(), queue, Integer.toString(MANY), journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                Tandem submitting = Tandem.connect(settings())
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("none", Integer.class, (number, task) -> {})
                        .start()) {
            submit(submitting, MANY);
            await().atMost(PATIENCE).until(() -> Files.exists(journal));
            process.kill();
        }
        AtomicInteger published = new AtomicInteger();
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).peek(each -> published.set(each)).mapToObj(this::subtask), done()))) {
            FanOutResult result = awaitResult();

            assertThat(result.subtasks()).isEqualTo(MANY);
            assertThat(result.succeeded()).isEqualTo(MANY);
            long twice = ran.values().stream().filter(times -> times.get() > 1).count();
            assertThat(twice).as("subtasks that ran again here").isLessThan(MANY / 4);
        }
    }

    @Test
    void failuresAreCountedAndDoNotKeepOthersFromRunning() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).mapToObj(n -> subtask(n % 10 == 3 ? -n : n)), done().mayFail(0.1)))) {
            submit(tandem, 100);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
            assertThat(result.failed()).isEqualTo(10);
            assertThat(result.succeeded()).isEqualTo(90);
            assertThat(result.errors())
                    .hasSize(10)
                    .allSatisfy(each -> assertThat(each.error()).contains("Row"));
        }
    }

    @Test
    void aSubtaskHasEndedWhenItsOwnSubtasksHave() throws IOException {
        try (Tandem tandem = start((count, task) -> {
            if (count < 0) {
                task.fanOut(IntStream.range(0, 5).mapToObj(n -> subtask(-count * 100 + n)), FanOut.withoutFinalTask());
            } else {
                task.fanOut(IntStream.range(1, count).mapToObj(n -> TaskRequest.of(queue, "import", -n)), done());
            }
        })) {
            submit(tandem, 5);
            FanOutResult result = awaitResult();

            assertThat(result.succeeded()).isEqualTo(4);
            assertThat(ran).hasSize(20);
        }
    }

    @Test
    void theFirstFailureStopsTheRest() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count)
                        .mapToObj(n -> n < 5 ? subtask(-1 - n) : subtask(n).with(delay("3s"))),
                done().failFast()))) {
            submit(tandem, 40);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.FAILED);
            assertThat(result.failed()).isBetween(1L, 5L);
            assertThat(result.failed() + result.cancelled()).isEqualTo(40);
        }
    }

    @Test
    void aMasterThatDiesGivesItsFanOutUp() throws IOException {
        try (Tandem tandem = start((count, task) -> task.fanOut(
                IntStream.range(0, count).mapToObj(n -> {
                    if (n == 20) {
                        throw new FatalTaskException("The file is broken");
                    }
                    return subtask(n);
                }),
                done()))) {
            submit(tandem, 100);
            FanOutResult result = awaitResult();

            assertThat(result.state()).isEqualTo(FanOutResult.State.ABANDONED);
            assertThat(result.why()).contains("The file is broken");
            assertThat(result.subtasks()).isLessThanOrEqualTo(20);
        }
    }

    @Test
    void cancellingAFanOutCancelsThoseOfItsSubtasks() throws IOException {
        int inner = 3;
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start((count, task) -> {
                    if (count < 0) {
                        task.fanOut(
                                IntStream.range(0, inner).mapToObj(n -> subtask(SLOW - count * inner + n)),
                                FanOut.withoutFinalTask());
                    } else {
                        ids.add(task.fanOut(
                                        IntStream.rangeClosed(1, count)
                                                .mapToObj(n -> TaskRequest.of(queue, "import", -n)),
                                        done())
                                .id());
                    }
                })) {
            submit(tandem, 2);
            await().atMost(PATIENCE).until(() -> ran.size() == 2 * inner && !ids.isEmpty());
            assertThat(store.fanOuts().cancel(ids.get(0), "asked for").join()).isEqualTo(FanOutAnswer.Code.OK);

            FanOutResult result = awaitResult();
            assertThat(result.state()).isEqualTo(FanOutResult.State.CANCELLED);
            assertThat(result.succeeded()).isZero();
            assertThat(ran.values())
                    .as("interrupted, without another attempt")
                    .allSatisfy(times -> assertThat(times).hasValue(1));
        }
    }

    /** Puts a fan-out into the store whose only subtask was lost. */
    private String openLost(RedisStore store) {
        String id = String.format("%020x", System.nanoTime());
        Task last = new Task(
                id + "-final",
                queue,
                "done",
                null,
                "0".getBytes(StandardCharsets.UTF_8),
                Map.of(Subtask.FINAL_HEADER, id),
                0,
                0,
                0,
                0,
                null);
        FanOutPlan plan = new FanOutPlan(
                queue,
                "0/0:1",
                "m",
                "import",
                "",
                1,
                FanOutPlan.Rule.COMPLETE,
                0,
                queue,
                Envelope.of(last).encode(),
                60_000,
                10_000);
        ask(store, new FanOutRequest.Open(id, 1, plan));
        ask(store, new FanOutRequest.Seal(id, 1, 1));
        return id;
    }

    private static void ask(RedisStore store, FanOutRequest request) {
        store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                .toCompletableFuture()
                .join();
    }

    @Test
    void cancellingInterruptsWhatRunsAndWhatIsLostIsEndedByAnOperator() throws IOException {
        int running = 8;
        try (RedisStore store = SuiteRedis.of(source()).open();
                Tandem tandem = start((count, task) ->
                        ids.add(task.fanOut(IntStream.range(SLOW, SLOW + count).mapToObj(this::subtask), done())
                                .id()))) {
            String lost = openLost(store);
            ask(store, new FanOutRequest.Cancel(lost, "asked for"));
            ask(store, new FanOutRequest.GiveUp(lost, "its subtask is lost"));
            ask(store, new FanOutRequest.Postpone(lost, 0));
            submit(tandem, running);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).hasSize(running));
            await().atMost(PATIENCE).until(() -> !ids.isEmpty());
            long from = System.nanoTime();
            ask(store, new FanOutRequest.Cancel(ids.get(0), "asked for"));
            FanOutResult result = awaitResultOf(ids.get(0));
            System.out.println("From the cancellation of " + running + " running subtasks to the final task over "
                    + source() + " it took " + (System.nanoTime() - from) / 1_000_000 + " ms");

            assertThat(result.state()).isEqualTo(FanOutResult.State.CANCELLED);
            assertThat(result.cancelled()).isEqualTo(running);
            assertThat(ran.values())
                    .as("no other attempt")
                    .allSatisfy(times -> assertThat(times).hasValue(1));
            assertThat(awaitResultOf(lost).cancelled())
                    .as("a patrol submits its final task")
                    .isEqualTo(1);
        }
    }
}
