package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.dedupKey;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.dependsOn;
import static dev.tandem.api.TaskOptions.dependsOnTasksOf;
import static dev.tandem.api.TaskOptions.expiresAt;
import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.OperationTasks;
import dev.tandem.scheduler.OperationTasks.Done;
import dev.tandem.scheduler.OperationTasks.Stage;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskChange;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskState;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program with queues on both brokers, whose tasks wait for others over the other broker, however those end. */
@Execution(ExecutionMode.CONCURRENT)
class DependencyBrokersIT {

    private final String orders = UniqueNames.fresh("orders");
    private final String mails = UniqueNames.fresh("mails");
    private final SuiteRedis redis = SuiteRedis.of("rabbit");
    /** The ids of the tasks that ran. */
    private final List<String> ran = new CopyOnWriteArrayList<>();

    private RedisStore store;

    @TempDir
    private Path folder;

    @BeforeEach
    void openStore() {
        store = redis.open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    private Tandem start(String ofOrders, String ofMails) throws IOException {
        Path settings = Files.writeString(folder.resolve("tandem.yml"), """
                %s
                tandem.kafka.bootstrap-servers: "%s"
                tandem.rabbit.uri: "%s"
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: %s, ordering: key, dead-head: skip, partitions: 2 }
                tandem.queues.%s: { source: %s, ordering: key, dead-head: skip, partitions: 2 }
                """.formatted(
                        redis.yaml(),
                        Brokers.kafka().bootstrapServers(),
                        Brokers.rabbit().uri(),
                        orders,
                        ofOrders,
                        mails,
                        ofMails));
        TandemBuilder builder = Tandem.connect(settings);
        builder.queue(orders).handler("ship", Ship.class, (ship, task) -> ran.add(task.id()));
        builder.queue(mails).handler("ship", Ship.class, (ship, task) -> ran.add(task.id()));
        Tandem tandem = builder.start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private static void submit(Tandem tandem, String queue, String name, String key, TaskOptions... options) {
        TaskRequest<?> request = TaskRequest.of(queue, "ship", new Ship("o", 1))
                .withKey(key)
                .with(id(name))
                .with(options);
        await("submission of " + name)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(request)
                        .await(Duration.ofSeconds(10))
                        .id()
                        .equals(name));
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

    /** Submits a task that waits for one of the other queue, and waits until it does. */
    private void submitDependent(Tandem tandem, String on) {
        submit(tandem, mails, "waits for " + on, on, dependsOnTasksOf(orders, on));
        awaitKnown(mails, "waits for " + on, TaskState.RETRY);
    }

    private void assertDiesWith(String on) {
        TaskView dead = awaitKnown(mails, "waits for " + on, TaskState.DEAD);
        assertThat(dead.envelope()).isNotNull();
        assertThat(dead.envelope().error())
                .isEqualTo("waited for " + orders + "/" + on + ", but that task (" + on
                        + "-1) died, expired or was cancelled");
    }

    @ParameterizedTest
    @CsvSource({"kafka, rabbit", "rabbit, kafka"})
    void aTaskWaitsForOneOverTheOtherBrokerHoweverThatEnds(String ofOrders, String ofMails) throws IOException {
        try (Tandem tandem = start(ofOrders, ofMails)) {
            List.of("success", "expired", "skipped", "drained", "cancelled").forEach(on -> submitDependent(tandem, on));

            submit(tandem, orders, "success-1", "success", dedupKey("success"));
            submit(
                    tandem,
                    orders,
                    "expired-1",
                    "expired",
                    dedupKey("expired"),
                    expiresAt(Instant.now().minusSeconds(1)));
            submit(tandem, orders, "skipped-1", "skipped", dedupKey("skipped"), dependsOn("nobody"));
            submit(tandem, orders, "head", "drained", dependsOn("nobody"));
            submit(tandem, orders, "drained-1", "drained", dedupKey("drained"));
            submit(tandem, orders, "cancelled-1", "cancelled", dedupKey("cancelled"), delay("1h"));

            giveUpHeadOf(awaitKnown(orders, "skipped-1", TaskState.RETRY), "skip");
            giveUpHeadOf(awaitKnown(orders, "drained-1", TaskState.PARKED), "drain");
            cancelAllAt(awaitKnown(orders, "cancelled-1", TaskState.SCHEDULED));

            await().atMost(PATIENCE).until(() -> ran.contains("waits for success"));
            List.of("expired", "skipped", "drained", "cancelled").forEach(this::assertDiesWith);
            assertThat(ran).containsExactly("success-1", "waits for success");
        }
    }

    /** Gives up the head of a task's key, which is alive. */
    private void giveUpHeadOf(TaskView task, String how) {
        assertThat(task.envelope()).isNotNull();
        String key = task.envelope().task().key();
        assertThat(key).isNotNull();
        Admin admin = store.admin();
        // A head that waits is claimed for a moment now and then, to look whether it may go on.
        Admin.Result result = await().atMost(PATIENCE)
                .until(
                        () -> (how.equals("skip")
                                        ? admin.skipKey(task.partition(), key, true)
                                        : admin.drainKey(task.partition(), key, true))
                                .join(),
                        each -> each != Admin.Result.ACTIVE);
        assertThat(result).isEqualTo(Admin.Result.DONE);
    }

    /** Cancels all delayed tasks of a partition in one step, as an operation on many tasks does. */
    private void cancelAllAt(TaskView one) {
        OperationTasks tasks = store.operationTasks();
        OperationTasks.Page page =
                tasks.page(one.partition(), Stage.FAR, null, Long.MAX_VALUE).join();
        assertThat(page.tasks()).hasSize(1);
        assertThat(tasks.step(
                                one.partition(),
                                "cancel-" + orders,
                                Done.NOTHING,
                                new TaskChange.Delete(Admin.Deletion.WAITING),
                                page.tasks(),
                                1,
                                1,
                                "end")
                        .join())
                .map(Done::changed)
                .contains(1L);
    }
}
