package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.BatchOptions;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskState;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Operators cancel tasks that an executor has in its memory, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class CancelSuite {

    private final String queue = UniqueNames.fresh("cancels");
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final CountDownLatch open = new CountDownLatch(1);
    private final RedisStore store = SuiteRedis.of(source()).open();

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void close() {
        open.countDown();
        store.close();
    }

    private Tandem start(String ofQueue, String more) throws IOException {
        Path settings = Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.drain-timeout: 0s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 1, concurrency: 2%s }
                %s
                """.formatted(
                        broker().getKey(),
                        broker().getValue(),
                        SuiteRedis.of(source()).yaml(),
                        queue,
                        source(),
                        ofQueue,
                        more));
        Tandem tandem = Tandem.connect(settings)
                .queue(queue)
                .handler("ship", String.class, (id, task) -> run(id))
                .handlerBatch("pack", BatchOptions.of(2, "2s"), tasks -> {
                    throw new IllegalStateException("A cancelled task was given to its handler");
                })
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void run(String id) throws InterruptedException {
        ran.add(id);
        if (id.startsWith("long")) {
            open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void submit(Tandem tandem, String id, @Nullable String key) throws InterruptedException {
        submit(tandem, "ship", id, key);
    }

    private void submit(Tandem tandem, String type, String id, @Nullable String key) throws InterruptedException {
        TaskRequest request = TaskRequest.of(queue, type, id).with(TaskOptions.id(id));
        tandem.client().submit(key == null ? request : request.withKey(key)).await(PATIENCE);
    }

    /** Cancels a task, and waits until it has ended. It is delivered some time after its submission. */
    private TaskView cancel(String id) {
        await(id).atMost(PATIENCE).until(() -> {
            RunningTasks.Request request =
                    store.runningTasks().cancel(queue, id).join();
            long asked = System.nanoTime();
            while (request.interrupted().join().isEmpty()) {
                if (System.nanoTime() - asked > 500_000_000) {
                    return false;
                }
            }
            return true;
        });
        awaitState(id, TaskState.CANCELLED);
        return found(id);
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
    void tasksThatWaitInMemoryNeverRunAndTheirKeysGoOn() throws Exception {
        try (Tandem tandem = start("", "")) {
            submit(tandem, "long-1", "c-1");
            submit(tandem, "long-2", "c-2");
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            submit(tandem, "lane", "c-1");
            submit(tandem, "behind", "c-1");
            submit(tandem, "slot", "c-3");
            submit(tandem, "unkeyed", null);

            for (String id : List.of("lane", "slot", "unkeyed")) {
                assertThat(cancel(id).envelope().attempts()).as(id).isZero();
            }
            open.countDown();

            awaitState("behind", TaskState.SUCCEEDED);
            assertThat(ran).containsExactlyInAnyOrder("long-1", "long-2", "behind");
        }
    }

    @Test
    void tasksThatWaitForAPermitNeverRunAndTheirKeysGoOn() throws Exception {
        try (Tandem tandem = start(", max-running: 1", "")) {
            submit(tandem, "long-1", "c-1");
            await().atMost(PATIENCE).until(() -> ran.size() == 1);
            submit(tandem, "waits", "c-2");
            submit(tandem, "behind", "c-2");

            assertThat(cancel("waits").envelope().attempts()).isZero();
            open.countDown();

            awaitState("behind", TaskState.SUCCEEDED);
            assertThat(ran).containsExactly("long-1", "behind");
        }
    }

    @Test
    void tasksThatWaitForTheirRateOrForOthersOfTheirBatchNeverRun() throws Exception {
        String limit = UniqueNames.fresh("slow");
        String rates = "tandem.rate-limits.%s: { rate: 1/h, burst: 3, queues: [%s] }".formatted(limit, queue);
        try (Tandem tandem = start("", rates)) {
            submit(tandem, "pack", "packed-1", "c-1");
            assertThat(cancel("packed-1").envelope().attempts()).isZero();
            submit(tandem, "first", "c-2");
            submit(tandem, "second", "c-3");
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            submit(tandem, "third", "c-4");

            assertThat(cancel("third").envelope().attempts()).isZero();
            assertThat(ran).containsExactlyInAnyOrder("first", "second");
        }
    }
}
