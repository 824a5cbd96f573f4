package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.dedupKey;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.dependsOn;
import static dev.tandem.api.TaskOptions.dependsOnTasksOf;
import static dev.tandem.api.TaskOptions.dependsPolicy;
import static dev.tandem.api.TaskOptions.dependsTimeout;
import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.DependsPolicy;
import dev.tandem.api.FanOut;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.DedupKeyView;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Envelope;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.TaskIdentity;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that wait for others, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class DependencySuite {

    private final String orders = UniqueNames.fresh("orders");
    private final String mails = UniqueNames.fresh("mails");
    /** The ids of the tasks that ran, with the number of the attempt. */
    private final List<String> ran = new CopyOnWriteArrayList<>();

    /** The subtasks that masters publish. */
    private final List<TaskRequest<?>> subtasks = new CopyOnWriteArrayList<>();

    private volatile boolean failing;
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

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: %s, ordering: key, dead-head: skip, partitions: 2, dedup: { until: done } }
                tandem.queues.%s: { source: %s, ordering: key, dead-head: skip, partitions: 2 }
                """.formatted(
                        broker().getKey(),
                        broker().getValue(),
                        SuiteRedis.of(source()).yaml(),
                        orders,
                        source(),
                        mails,
                        source()));
    }

    private Tandem start() throws IOException {
        TandemBuilder builder = Tandem.connect(settings());
        builder.queue(orders)
                .handler("ship", Ship.class, this::run)
                .handler(
                        "fan",
                        String.class,
                        (last, task) -> task.fanOut(
                                subtasks.stream(),
                                FanOut.then(ship(orders, "final " + last).with(dedupKey(last)))));
        builder.queue(mails).handler("ship", Ship.class, this::run);
        Tandem tandem = builder.start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void run(Ship ship, TaskContext task) {
        ran.add(task.id() + " " + task.attempt());
        if (failing && ship.items() == 0) {
            throw new FatalTaskException("Nothing to ship");
        }
    }

    private void submit(Tandem tandem, String queue, String name, TaskOptions... options) {
        submit(tandem, queue, name, "key of " + name, options);
    }

    private void submit(Tandem tandem, String queue, String name, String key, TaskOptions... options) {
        submit(tandem, name, ship(queue, name).withKey(key).with(options));
    }

    private static void submit(Tandem tandem, String name, TaskRequest<?> request) {
        await("submission of " + name)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(request)
                        .await(Duration.ofSeconds(10))
                        .id()
                        .equals(name));
    }

    private TaskRequest<?> ship(String queue, String name) {
        return TaskRequest.of(queue, "ship", new Ship("o", queue.equals(orders) ? 0 : 1))
                .with(id(name));
    }

    /** Submits a task that fans out into one subtask. @param last the business id of the final task */
    private void submitMaster(Tandem tandem, String last, TaskRequest<?> subtask) {
        subtasks.clear();
        subtasks.add(subtask);
        submit(tandem, "master " + last, TaskRequest.of(orders, "fan", last).with(id("master " + last)));
    }

    private TaskView awaitKnown(String queue, String name, TaskState state) {
        await(name)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(known(queue, name))
                        .extracting(TaskView::state)
                        .containsExactly(state));
        return known(queue, name).get(0);
    }

    private List<TaskView> known(String queue, String name) {
        return store.inspector().tasks(queue, name, 10).join();
    }

    private String errorOfDead(String queue, String name) {
        TaskView dead = awaitKnown(queue, name, TaskState.DEAD);
        assertThat(dead.envelope()).isNotNull();
        return String.valueOf(dead.envelope().error());
    }

    private void awaitRan(String... runs) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactly(runs));
    }

    @Test
    void aTaskRunsBehindThoseThatItWaitsForInEitherOrderAcrossQueues() throws IOException {
        try (Tandem tandem = start()) {
            submit(tandem, mails, "early", "one", dependsOnTasksOf(orders, "a", "b"));
            submit(tandem, mails, "behind", "one");
            awaitKnown(mails, "early", TaskState.RETRY);
            submit(tandem, orders, "a-1", dedupKey("a"));
            awaitRan("a-1 1");
            submit(tandem, orders, "b-1", dedupKey("b"));
            awaitRan("a-1 1", "b-1 1", "early 1", "behind 1");

            submit(tandem, mails, "late", dependsOnTasksOf(orders, "a"), dependsOnTasksOf(orders, "b"));
            awaitRan("a-1 1", "b-1 1", "early 1", "behind 1", "late 1");
        }
    }

    @Test
    void whatBecomesOfATaskIsItsPolicyWhenAnotherOneDiesAndIsRetried() throws IOException {
        failing = true;
        try (Tandem tandem = start()) {
            submit(tandem, mails, "dies", dependsOnTasksOf(orders, "a"));
            submit(tandem, mails, "runs", dependsOnTasksOf(orders, "a"), dependsPolicy(DependsPolicy.RUN));
            submit(tandem, mails, "waits", dependsOnTasksOf(orders, "a"), dependsPolicy(DependsPolicy.WAIT));
            TaskView waits = awaitKnown(mails, "waits", TaskState.RETRY);
            assertThat(waits.envelope())
                    .isNotNull()
                    .extracting(Envelope::task)
                    .extracting(WaitReason::of)
                    .isEqualTo(new WaitReason.OtherTask(orders + "/a"));
            submit(tandem, orders, "a-1", dedupKey("a"));

            assertThat(errorOfDead(mails, "dies"))
                    .isEqualTo("waited for " + orders + "/a, but that task (a-1) died, expired or was cancelled");
            awaitRan("a-1 1", "runs 1");
            awaitKnown(mails, "waits", TaskState.RETRY);

            failing = false;
            TaskView dead = awaitKnown(orders, "a-1", TaskState.DEAD);
            store.admin().retry(dead.partition(), dead.position()).join();
            awaitRan("a-1 1", "runs 1", "a-1 1", "waits 1");
        }
    }

    @Test
    void aTaskIsReleasedWhenAnotherOneIsCancelledAndWhenItsTimeIsOver() throws IOException {
        try (Tandem tandem = start()) {
            submit(tandem, orders, "a-1", dedupKey("a"), delay("1h"));
            submit(tandem, orders, "dies", dependsOn("a"));
            submit(tandem, mails, "too late", dependsOn("nobody"), dependsTimeout("1500ms"));
            TaskView waiting = awaitKnown(orders, "a-1", TaskState.SCHEDULED);
            awaitKnown(orders, "dies", TaskState.RETRY);
            assertThat(store.admin()
                            .delete(waiting.partition(), waiting.position())
                            .join())
                    .isEqualTo(Admin.Result.DONE);

            assertThat(errorOfDead(orders, "dies")).startsWith("waited for " + orders + "/a, but that task (a-1) died");
            assertThat(errorOfDead(mails, "too late"))
                    .startsWith("waited PT1.5S for " + mails + "/nobody, but nothing is known of it");
            assertThat(ran).isEmpty();
        }
    }

    @Test
    void aTaskThatClosesACycleDiesAlsoIfItGoesThroughALane() throws IOException {
        try (Tandem tandem = start()) {
            submit(tandem, orders, "one", dedupKey("1"), dependsOn("2"));
            awaitKnown(orders, "one", TaskState.RETRY);
            submit(
                    tandem,
                    mails,
                    "two",
                    dedupKey("3"),
                    dependsOnTasksOf(orders, "1"),
                    dependsPolicy(DependsPolicy.WAIT));
            awaitKnown(mails, "two", TaskState.RETRY);
            submit(tandem, orders, "three", dedupKey("2"), dependsOnTasksOf(mails, "3"));
            assertThat(errorOfDead(orders, "three"))
                    .isEqualTo("waits for itself: three -> %s/3 -> %s/1 -> %s/2".formatted(mails, orders, orders));
            assertThat(errorOfDead(orders, "one")).startsWith("waited for " + orders + "/2");

            submit(tandem, orders, "head", "lane", dependsOn("behind"));
            submit(tandem, orders, "behind", "lane", dedupKey("behind"));
            assertThat(errorOfDead(orders, "head"))
                    .matches("waits for itself: head -> " + orders + "/behind -> @.+, the head of its key");
            awaitRan("behind 1");
        }
    }

    @Test
    void aCycleThroughAFanOutIsFound() throws IOException {
        try (Tandem tandem = start()) {
            submit(
                    tandem,
                    mails,
                    "middle",
                    dedupKey("m"),
                    dependsOnTasksOf(orders, "all"),
                    dependsPolicy(DependsPolicy.WAIT));
            awaitKnown(mails, "middle", TaskState.RETRY);
            submitMaster(tandem, "all", ship(orders, "row").with(dependsOnTasksOf(mails, "m")));
            assertThat(errorOfDead(orders, "row"))
                    .matches("waits for itself: row -> %s/m -> %s/all, the final task of fan-out \\w{20} -> row"
                            .formatted(mails, orders));
            awaitRan("final all 1", "middle 1");

            submit(tandem, orders, "head", "lane", dependsOn("rest"));
            awaitKnown(orders, "head", TaskState.RETRY);
            submitMaster(tandem, "rest", ship(orders, "behind").withKey("lane"));
            assertThat(errorOfDead(orders, "head"))
                    .matches(
                            "waits for itself: head -> %s/rest, the final task of fan-out \\w{20} -> behind -> @.+, the head of its key"
                                    .formatted(orders));
            awaitRan("final all 1", "middle 1", "behind 1", "final rest 1");
        }
    }

    /** Tells what an executor tells of a task with a deduplication key before it records that it has succeeded. */
    private void tellSuccess(String queue, String key) {
        DedupKeyView bearer = store.inspector().dedupKey(queue, key).join().orElseThrow();
        TaskIdentity task = TaskIdentity.of(bearer.partition().name(), bearer.position(), false, bearer.id());
        store.dedup(queue, DedupBuckets.of(queue, key), List.of(new DedupRequest.Tell(key, task, Ending.SUCCEEDED, 0)))
                .toCompletableFuture()
                .join();
    }

    @Test
    void aTaskOfAKilledExecutorIsWaitedForUntilItHasRunAgainUnlessItsEndWasTold() throws Exception {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "dependencies",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        DedupProgram.class.getName(),
                        List.of(settings().toString(), orders, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        TandemBuilder client = Tandem.connect(settings()).setting("tandem.executor.enabled", "false");
        client.queue(orders).handler("ship", Ship.class, this::run);
        client.queue(mails).handler("ship", Ship.class, this::run);
        try (process;
                Tandem submitting = client.start()) {
            submit(submitting, orders, "a-1", dedupKey("a"));
            submit(submitting, orders, "told", dedupKey("t"));
            await().atMost(PATIENCE)
                    .until(() ->
                            Files.exists(journal) && Files.readAllLines(journal).size() == 2);
            tellSuccess(orders, "t");
            process.kill();
        }
        try (Tandem tandem = start()) {
            submit(tandem, mails, "b-1", dependsOnTasksOf(orders, "a", "t"));
            awaitRan("a-1 2", "b-1 1");
            await("the end of the task that has succeeded")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(known(orders, "told"))
                            .noneMatch(each -> !each.state().isFinal()));
            awaitRan("a-1 2", "b-1 1");
        }
    }
}
