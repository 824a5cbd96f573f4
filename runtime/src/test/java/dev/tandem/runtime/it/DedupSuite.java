package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.dedupKey;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.task.Utf8.bytes;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.queues.TaskMetrics;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.ScriptOutputType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks with deduplication keys, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class DedupSuite {

    private final String queue = UniqueNames.fresh("dedups");
    /** The ids of the tasks that ran, with the number of the attempt. */
    private final List<String> ran = new CopyOnWriteArrayList<>();

    private final List<Integer> shipped = new CopyOnWriteArrayList<>();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private RedisStore store;

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @BeforeEach
    void openStore() {
        store = SuiteRedis.of(source()).open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private Path settings(String dedup) throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 2, dedup: { %s } }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source(), dedup));
    }

    private Tandem start(String dedup) throws IOException {
        Tandem tandem = Tandem.connect(settings(dedup))
                .metrics(TaskMetrics.of(registry))
                .queue(queue)
                .handler("ship", Ship.class, this::run)
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void run(Ship ship, TaskContext task) {
        ran.add(task.id() + " " + task.attempt());
        shipped.add(ship.items());
        if (ship.items() == 0) {
            throw new FatalTaskException("Nothing to ship");
        }
    }

    private void submit(Tandem tandem, String name, int items, TaskOptions... options) {
        await("submission of " + name)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(TaskRequest.of(queue, "ship", new Ship("o", items))
                                .withKey("key of " + name)
                                .with(id(name), dedupKey("order-7"))
                                .with(options))
                        .await(Duration.ofSeconds(10))
                        .id()
                        .equals(name));
    }

    private List<TaskView> known(String name) {
        return store.inspector().tasks(queue, name, 10).join();
    }

    private TaskView awaitKnown(String name, TaskState state) {
        await(name)
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(known(name)).extracting(TaskView::state).containsExactly(state));
        return known(name).get(0);
    }

    private void awaitDuplicate(String name, String of) {
        TaskView.Success success = awaitKnown(name, TaskState.SUCCEEDED).success();
        assertThat(success).isNotNull();
        assertThat(success.duplicateOf()).isEqualTo(of);
    }

    private void awaitRan(String... runs) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactly(runs));
    }

    /** Lets time pass for what Redis knows of the key: all of its times move into the past. */
    private void letPass(Duration time) {
        String key = "tandem:{~dedup/%s}:%s/order-7".formatted(DedupBuckets.of(queue, "order-7"), queue);
        String script = """
                local h = cmsgpack.unpack(redis.call('HGET', KEYS[1], 'h'))
                for i = 5, 10 do
                  h[i] = h[i] - ARGV[1]
                end
                return redis.call('HSET', KEYS[1], 'h', cmsgpack.pack(h))
                """;
        SuiteRedis.of(source())
                .write(commands -> commands.eval(
                        script, ScriptOutputType.INTEGER, new byte[][] {bytes(key)}, bytes(time.toMillis() + "")));
    }

    private void retry(TaskView task) {
        store.admin().retry(task.partition(), task.position()).join();
    }

    @Test
    void theFirstWinsThoughItsTimeComesLaterAndItsKeyIsTakenForTheWindow() throws IOException {
        try (Tandem tandem = start("window: 1h")) {
            submit(tandem, "first", 1, delay("1h"));
            TaskView waiting = awaitKnown("first", TaskState.SCHEDULED);
            submit(tandem, "second", 1);
            awaitDuplicate("second", "first");
            assertThat(ran).isEmpty();

            store.admin().retry(waiting.partition(), waiting.position()).join();
            awaitRan("first 1");
            submit(tandem, "third", 1);
            awaitDuplicate("third", "first");
            assertThat(ran).containsExactly("first 1");
        }
    }

    /** Tasks of several keys are in several partitions, between which there is no order: any of them may be the first. */
    @Test
    void ofManyThatComeAtOnceInManyKeysOneRuns() throws Exception {
        int many = 50;
        try (Tandem tandem = start("until: done, retention: 1h")) {
            List<TaskRef<?>> submitted = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                submitted.add(tandem.client()
                        .submit(TaskRequest.of(queue, "ship", new Ship("o", 1))
                                .withKey("key-" + i)
                                .with(id("task-" + i), dedupKey("order-7"))));
            }
            for (TaskRef<?> each : submitted) {
                each.await(PATIENCE);
            }
            await().atMost(PATIENCE).until(() -> !ran.isEmpty());
            String one = ran.get(0).replace(" 1", "");
            IntStream.range(0, many)
                    .mapToObj(i -> "task-" + i)
                    .filter(name -> !name.equals(one))
                    .forEach(name -> awaitDuplicate(name, one));
            assertThat(ran).containsExactly(one + " 1");
            assertThat(registry.get("tandem.task.duplicates").counter().count()).isEqualTo(many - 1);
        }
    }

    @Test
    void aFirstThatDiesOrIsCancelledFreesTheKey() throws IOException {
        try (Tandem tandem = start("until: done")) {
            submit(tandem, "dead", 0);
            awaitKnown("dead", TaskState.DEAD);
            submit(tandem, "cancelled", 1, delay("1h"));
            TaskView waiting = awaitKnown("cancelled", TaskState.SCHEDULED);
            submit(tandem, "duplicate", 1);
            awaitDuplicate("duplicate", "cancelled");
            assertThat(store.admin()
                            .delete(waiting.partition(), waiting.position())
                            .join())
                    .isEqualTo(Admin.Result.DONE);

            // The housekeeper passes it on.
            AtomicInteger tries = new AtomicInteger();
            await().atMost(PATIENCE).pollInSameThread().until(() -> {
                String name = "after " + tries.incrementAndGet();
                submit(tandem, name, 1);
                awaitKnown(name, TaskState.SUCCEEDED);
                return ran.contains(name + " 1");
            });
            assertThat(ran).hasSize(2).first().isEqualTo("dead 1");
        }
    }

    @Test
    void aTaskOfAKilledExecutorIsNoDuplicateOfItself() throws Exception {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "dedups",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        DedupProgram.class.getName(),
                        List.of(settings("until: done, retention: 1h").toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                Tandem submitting = Tandem.connect(settings("until: done, retention: 1h"))
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("ship", Ship.class, (ship, task) -> {})
                        .start()) {
            submit(submitting, "first", 1);
            await().atMost(PATIENCE).until(() -> Files.exists(journal));
            submit(submitting, "second", 1);
            process.kill();
        }
        try (Tandem tandem = start("until: done, retention: 1h")) {
            awaitRan("first 2");
            awaitDuplicate("second", "first");
            assertThat(ran).containsExactly("first 2");
        }
    }

    @Test
    void theLastOneThatComesBeforeAnyBeginsIsKept() throws IOException {
        try (Tandem tandem = start("mode: keep-last")) {
            submit(tandem, "first", 1, delay("1h"));
            TaskView first = awaitKnown("first", TaskState.SCHEDULED);
            submit(tandem, "second", 1, delay("1h"));
            TaskView second = awaitKnown("second", TaskState.SCHEDULED);

            store.admin().retry(first.partition(), first.position()).join();
            awaitDuplicate("first", "second");
            store.admin().retry(second.partition(), second.position()).join();
            awaitRan("second 1");
            submit(tandem, "third", 1);
            awaitRan("second 1", "third 1");
        }
    }

    @Test
    void theLastOneTakesThePlaceOfTheFirst() throws IOException {
        try (Tandem tandem = start("mode: replace")) {
            submit(tandem, "first", 1, delay("1h"));
            TaskView first = awaitKnown("first", TaskState.SCHEDULED);
            submit(tandem, "second", 1);

            TaskView second = awaitKnown("second", TaskState.RETRY);
            assertThat(second.at()).as("the time of the first").isBetween(first.at() - 5_000, first.at() + 5_000);
            store.admin().retry(first.partition(), first.position()).join();
            awaitDuplicate("first", "second");
            assertThat(ran).isEmpty();
        }
    }

    @Test
    void theOneThatReplacesAnotherRunsWithItsOwnPayload() throws IOException {
        try (Tandem tandem = start("mode: replace")) {
            submit(tandem, "first", 1, delay("1h"));
            TaskView first = awaitKnown("first", TaskState.SCHEDULED);
            submit(tandem, "second", 2);
            TaskView second = awaitKnown("second", TaskState.RETRY);

            letPass(Duration.ofHours(2));
            retry(second);
            awaitRan("second 1");
            assertThat(shipped).containsExactly(2);
            retry(first);
            awaitDuplicate("first", "second");
            awaitRan("second 1");
        }
    }

    @Test
    void aFirstThatIsLostKeepsItsKeyUntilItCountsAsLost() throws IOException {
        String settings = "until: done, retention: 1h, lost-after: 1d";
        TaskView first;
        try (Tandem tandem = start(settings)) {
            submit(tandem, "first", 1, delay("1h"));
            first = awaitKnown("first", TaskState.SCHEDULED);
            letPass(Duration.ofHours(20));
            submit(tandem, "second", 1);
            awaitDuplicate("second", "first");
        }
        letPass(Duration.ofHours(6));
        try (Tandem tandem = start(settings)) {
            submit(tandem, "third", 1);
            awaitRan("third 1");
            awaitKnown("third", TaskState.SUCCEEDED);

            retry(first);
            awaitDuplicate("first", "third");
            awaitRan("third 1");
        }
    }

    @Test
    void aKeyIsTakenForTheWindowOnlyThoughItsTaskStillWaits() throws IOException {
        try (Tandem tandem = start("until: window, window: 2s")) {
            long begin = System.nanoTime();
            submit(tandem, "first", 1, delay("1h"));
            TaskView first = awaitKnown("first", TaskState.SCHEDULED);

            AtomicInteger tries = new AtomicInteger();
            await().atMost(PATIENCE).pollInSameThread().until(() -> {
                String name = "after " + tries.incrementAndGet();
                submit(tandem, name, 1);
                awaitKnown(name, TaskState.SUCCEEDED);
                return ran.contains(name + " 1");
            });
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000_000L);
            retry(first);
            awaitRan("after " + tries + " 1", "first 1");
        }
    }

    @Test
    void aKeyMayBeTakenUntilBothItsTaskHasEndedAndTheWindow() throws IOException {
        try (Tandem tandem = start("until: both, window: 1h")) {
            submit(tandem, "first", 1, delay("1h"));
            TaskView first = awaitKnown("first", TaskState.SCHEDULED);
            letPass(Duration.ofHours(2));
            submit(tandem, "second", 1);
            awaitDuplicate("second", "first");
            retry(first);
            awaitKnown("first", TaskState.SUCCEEDED);

            submit(tandem, "third", 1);
            awaitKnown("third", TaskState.SUCCEEDED);
            submit(tandem, "fourth", 1);
            awaitDuplicate("fourth", "third");
            awaitRan("first 1", "third 1");
        }
    }

    @Test
    void aFirstThatDiesKeepsTheKeyIfItsQueueSaysSo() throws IOException {
        try (Tandem tandem = start("until: done, retention: 1h, release-on-failure: false")) {
            submit(tandem, "dead", 0);
            awaitKnown("dead", TaskState.DEAD);
            submit(tandem, "second", 1);
            awaitDuplicate("second", "dead");
            awaitRan("dead 1");
        }
    }
}
