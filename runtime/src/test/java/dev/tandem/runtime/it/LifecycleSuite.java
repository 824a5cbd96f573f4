package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskResultException;
import dev.tandem.api.TaskResultException.Reason;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldTask;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks that expire or are cancelled, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class LifecycleSuite {

    private final String queue = UniqueNames.fresh("ships");
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final RedisStore store = SuiteRedis.of(source()).open();

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void close() {
        store.close();
    }

    private QueueBuilder program(String more) throws IOException {
        Path settings = Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.drain-timeout: 0s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 2, backoff.initial: 1h%s }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source(), more));
        return Tandem.connect(settings).queue(queue);
    }

    private static void awaitHealthy(Tandem tandem) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
    }

    private TaskRef<?> submit(Tandem tandem, String id, String key, TaskOptions... options)
            throws InterruptedException {
        return tandem.client()
                .submit(TaskRequest.of(queue, "ship", id)
                        .withKey(key)
                        .with(TaskOptions.id(id))
                        .with(options))
                .await(PATIENCE);
    }

    private TaskView found(String id) {
        List<TaskView> tasks = store.inspector().tasks(queue, id, 10).join();
        assertThat(tasks).as(id).hasSize(1);
        return tasks.get(0);
    }

    private void awaitState(String id, TaskState state) {
        await(id)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(found(id).state()).isEqualTo(state));
    }

    @Test
    void aTaskExpiresOnceItsTimeIsOverAndItsKeyGoesOn() throws Exception {
        try (Tandem tandem = program("")
                .handler("ship", String.class, (id, task) -> {
                    ran.add(id);
                    if (id.startsWith("fails")) {
                        throw new IllegalStateException("no carrier");
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "late", "c-1", TaskOptions.expiresAt(Instant.now().minusSeconds(1)));
            submit(tandem, "in-time", "c-1", TaskOptions.ttl("1h"));
            // The next attempt would begin in an hour.
            submit(tandem, "fails", "c-2", TaskOptions.ttl("10m"));
            submit(tandem, "behind", "c-2");
            submit(tandem, "parent", "c-3", TaskOptions.delay("1s"), TaskOptions.ttl("1h"));

            for (String id : List.of("in-time", "behind", "parent")) {
                awaitState(id, TaskState.SUCCEEDED);
            }
            assertThat(ran).containsExactlyInAnyOrder("in-time", "fails", "behind", "parent");

            TaskView late = found("late");
            assertThat(late.state()).isEqualTo(TaskState.EXPIRED);
            assertThat(late.envelope().attempts()).isZero();
            TaskView fails = found("fails");
            assertThat(fails.state()).isEqualTo(TaskState.EXPIRED);
            assertThat(AttemptHistory.of(fails.envelope().task()))
                    .singleElement()
                    .satisfies(attempt -> assertThat(attempt.error()).contains("no carrier"));
            assertThat(store.inspector()
                            .tasks(queue, TaskState.EXPIRED, null, 10)
                            .join()
                            .items())
                    .hasSize(2);

            assertThatThrownBy(() -> submit(
                            tandem,
                            "never",
                            "c-1",
                            TaskOptions.delay("1h"),
                            TaskOptions.expiresAt(Instant.now().plusSeconds(60))))
                    .isInstanceOf(InvalidTaskException.class)
                    .hasMessageContaining("can never run");
        }
    }

    @Test
    void tasksThatNameNoTimeExpireByTheTtlOfTheirQueue() throws Exception {
        // Before the program starts, so that it starts no task.
        store.admin().pause(queue).join();
        try (Tandem tandem = program(", ttl: 300ms")
                .handler("ship", String.class, (id, task) -> ran.add(id))
                .start()) {
            submit(tandem, "short", "c-1");
            submit(tandem, "own", "c-1", TaskOptions.ttl("1h"));
            long over = System.currentTimeMillis() + 301;
            await().atMost(PATIENCE).until(() -> System.currentTimeMillis() > over);
            store.admin().resume(queue).join();

            awaitState("short", TaskState.EXPIRED);
            awaitState("own", TaskState.SUCCEEDED);
            assertThat(ran).containsExactly("own");
        }
    }

    @Test
    void aHandlerThatRunsInAnotherProcessIsInterruptedAndItsKeyGoesOn() throws Exception {
        CountDownLatch began = new CountDownLatch(2);
        try (Tandem tandem = program("")
                .handler("ship", String.class, (id, task) -> {
                    ran.add(id);
                    if (id.startsWith("long")) {
                        began.countDown();
                        new CountDownLatch(1).await();
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "long-1", "c-1");
            submit(tandem, "long-2", "c-2");
            submit(tandem, "behind", "c-1");
            assertThat(began.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(held("long-1").running()).isTrue();
            assertThat(held("behind").waitsFor()).isEqualTo(new WaitReason.Turn(true));

            long millis = millisUntilInterrupted("long-1");
            awaitState("long-1", TaskState.CANCELLED);
            awaitState("behind", TaskState.SUCCEEDED);
            var nobody = store.runningTasks().cancel(queue, "nobody").join();
            assertThat(nobody.interrupted().join()).isEmpty();
            assertThat(ran).as("no other handler").containsExactlyInAnyOrder("long-1", "long-2", "behind");
            // A busy machine may hold up some, but not each.
            for (int more = 3; millis >= 1_000 && more < 13; more++) {
                String id = submit(tandem, "long-" + more, "c-" + more).id();
                await(id).atMost(PATIENCE).until(() -> ran.contains(id));
                millis = millisUntilInterrupted(id);
            }
            assertThat(millis).as("time until the interrupt").isLessThan(1_000);
        }
    }

    private long millisUntilInterrupted(String id) {
        long asked = System.nanoTime();
        RunningTasks.Request request = store.runningTasks().cancel(queue, id).join();
        await(id).atMost(PATIENCE).until(() -> !request.interrupted().join().isEmpty());
        long millis = (System.nanoTime() - asked) / 1_000_000;
        request.close().join();
        return millis;
    }

    /** Returns what an executor says of a task. */
    private HeldTask held(String id) {
        RunningTasks.Search search = store.runningTasks().find(queue, id).join();
        await(id).atMost(PATIENCE).until(() -> !search.found().join().isEmpty());
        HeldTask found = search.found().join().get(0);
        search.close().join();
        assertThat(found.envelope().task().id()).isEqualTo(id);
        assertThat(found.envelope().task().payload()).isEmpty();
        return found;
    }

    @Test
    void tasksThatWaitAreCancelledAndKeepThatTheyWere() throws Exception {
        try (Tandem tandem = program("")
                .handler("ship", String.class, (id, task) -> {
                    ran.add(id);
                    if (id.startsWith("fails")) {
                        throw new IllegalStateException("no carrier");
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "fails", "c-1");
            awaitState("fails", TaskState.RETRY);
            submit(tandem, "parked", "c-1");
            submit(tandem, "behind", "c-1");
            submit(tandem, "far", "c-2", TaskOptions.delay("1d"));
            for (String id : List.of("parked", "behind")) {
                awaitState(id, TaskState.PARKED);
            }
            awaitState("far", TaskState.SCHEDULED);

            for (String id : List.of("parked", "far", "fails")) {
                TaskView seen = found(id);
                assertThat(store.admin()
                                .delete(seen.partition(), seen.position(), Admin.Deletion.WAITING)
                                .join())
                        .isEqualTo(Admin.Result.DONE);
                assertThat(found(id).state()).isEqualTo(TaskState.CANCELLED);
            }
            assertThat(found("fails").envelope().attempts()).isEqualTo(1);
            awaitState("behind", TaskState.SUCCEEDED);
            assertThat(ran).containsExactly("fails", "behind");
        }
    }

    @Test
    void tasksThatWaitForTheirTimeGetAnotherOne() throws Exception {
        try (Tandem tandem = program("")
                .handler("ship", String.class, (id, task) -> {
                    ran.add(id);
                    if (id.startsWith("fails") && task.attempt() == 1) {
                        throw new IllegalStateException("no carrier");
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "far", "c-1", TaskOptions.delay("1d"));
            submit(tandem, "near", "c-2", TaskOptions.delay("60s"));
            submit(tandem, "fails", "c-3");
            awaitState("far", TaskState.SCHEDULED);
            awaitState("near", TaskState.SCHEDULED);
            awaitState("fails", TaskState.RETRY);
            submit(tandem, "parked", "c-3");
            awaitState("parked", TaskState.PARKED);

            long later = System.currentTimeMillis() + Duration.ofDays(2).toMillis();
            for (String id : List.of("far", "near", "fails")) {
                assertThat(reschedule(id, later)).isEqualTo(Admin.Result.DONE);
                assertThat(found(id).at()).isEqualTo(later);
            }
            assertThat(reschedule("parked", later)).isEqualTo(Admin.Result.OTHER_STATE);

            for (String id : List.of("far", "near", "fails")) {
                assertThat(reschedule(id, 0)).isEqualTo(Admin.Result.DONE);
            }
            for (String id : List.of("far", "near", "fails", "parked")) {
                awaitState(id, TaskState.SUCCEEDED);
            }
            assertThat(ran).containsExactlyInAnyOrder("far", "near", "fails", "fails", "parked");
            assertThat(reschedule("far", later)).isEqualTo(Admin.Result.OTHER_STATE);
        }
    }

    private Admin.Result reschedule(String id, long at) {
        return store.admin().reschedule(found(id), at).join();
    }

    @Test
    void whatAHandlerReturnsIsKeptWithItsSuccess() throws Exception {
        try (Tandem tandem = program(", max-result-bytes: 1KB")
                .handler("ship", String.class, (id, task) -> {
                    task.result(Map.of("ship", id.startsWith("long") ? "x".repeat(2_000) : id));
                    if (id.startsWith("fails")) {
                        throw new IllegalStateException("no carrier");
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "fails", "c-2");
            // A key that is fast enough for rows.
            for (int i = 0; i < 50; i++) {
                submit(tandem, "ship-" + i, "c-1");
            }
            submit(tandem, "long", "c-1");

            awaitState("long", TaskState.SUCCEEDED);
            assertThat(found("long").success().result()).isNull();
            for (int i = 0; i < 50; i++) {
                assertThat(found("ship-" + i).success().result()).isEqualTo("{\"ship\":\"ship-" + i + "\"}");
            }
            assertThat(found("fails").state()).isEqualTo(TaskState.RETRY);
        }
    }

    @Test
    void resultsAreAwaitedByAMessageAndNotByAskingAgainAndAgain() throws Exception {
        try (Tandem tandem = program(", max-result-bytes: 1KB")
                .handler("ship", String.class, (id, task) -> {
                    if (id.startsWith("fails")) {
                        throw new FatalTaskException("no such order");
                    } else if (!id.startsWith("nothing")) {
                        task.result(Map.of("ship", id));
                    }
                })
                .start()) {
            awaitHealthy(tandem);
            long began = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                TaskRef<?> ref = submit(tandem, "ship-" + i, "c-1");
                assertThat(tandem.results().await(ref, Map.class, PATIENCE)).isEqualTo(Map.of("ship", "ship-" + i));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("without messages each takes two seconds")
                    .isLessThan(Duration.ofSeconds(10));

            assertThat(tandem.results().await(submit(tandem, "nothing", "c-1"), Map.class, PATIENCE))
                    .isNull();
            TaskRef<?> ship = submit(tandem, "ship-x", "c-1");
            assertThat(tandem.results().await(ship, Void.class, PATIENCE)).isNull();
            assertReason(tandem, ship, Integer.class, PATIENCE, Reason.UNREADABLE);
            assertReason(tandem, submit(tandem, "fails", "c-2"), Map.class, PATIENCE, Reason.DEAD);
            TaskRef<?> late = submit(tandem, "late", "c-3", TaskOptions.expiresAt(Instant.EPOCH));
            assertReason(tandem, late, Map.class, PATIENCE, Reason.EXPIRED);
            TaskRef<?> far = submit(tandem, "far", "c-3", TaskOptions.delay("1h"));
            assertReason(tandem, far, Map.class, Duration.ofMillis(100), Reason.NOT_IN_TIME);
            assertThatThrownBy(() -> tandem.results().await(far, Map.class, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whoeverWaitsHearsOfTheEndInAnotherProgramThatTookTheTaskOver() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CompletableFuture<Optional<TaskView>> end;
        try (Tandem first = program("")
                .handler("ship", String.class, (id, task) -> {
                    began.countDown();
                    new CountDownLatch(1).await();
                })
                .start()) {
            awaitHealthy(first);
            submit(first, "moves", "c-1");
            assertThat(began.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            end = store.taskEnds().await(queue, "moves", PATIENCE);
        }
        assertThat(end).isNotDone();
        try (Tandem second = program("")
                .handler("ship", String.class, (id, task) -> ran.add(id))
                .start()) {
            awaitHealthy(second);
            assertThat(end.get()).map(TaskView::state).contains(TaskState.SUCCEEDED);
            assertThat(ran).containsExactly("moves");
        }
    }

    private static void assertReason(Tandem tandem, TaskRef<?> task, Class<?> type, Duration timeout, Reason reason) {
        assertThatThrownBy(() -> tandem.results().await(task, type, timeout))
                .isInstanceOfSatisfying(
                        TaskResultException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }
}
