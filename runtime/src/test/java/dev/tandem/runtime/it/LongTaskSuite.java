package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Checkpoints, progress and tasks that run again without spending an attempt, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class LongTaskSuite {

    private final String queue = UniqueNames.fresh("counts");
    private final List<String> ran = new CopyOnWriteArrayList<>();

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
                tandem.executor.drain-timeout: 0s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 2, timeout: 5m, backoff.initial: 100ms }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    private QueueBuilder program() throws IOException {
        return Tandem.connect(settings()).queue(queue);
    }

    private static void awaitHealthy(Tandem tandem) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
    }

    private void submit(Tandem tandem, String... payloads) throws InterruptedException {
        for (String payload : payloads) {
            tandem.client()
                    .submit(TaskRequest.of(queue, "count", payload).withKey("c-1"))
                    .await(PATIENCE);
        }
    }

    private void awaitRan(String... runs) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains(runs));
    }

    @Test
    void aTaskGoesOnFromItsCheckpointAfterItsExecutorWasKilled() throws Exception {
        Path journal = folder.resolve("journal");
        try (LocalProcess process = LocalProcess.java(
                                "counts",
                                System.getProperty("java.class.path"),
                                JvmOptions.quickStart("256m"),
                                CountProgram.class.getName(),
                                List.of(settings().toString(), queue, journal.toString()))
                        .log(folder.resolve("process.log"))
                        .disposable()
                        .build()
                        .start();
                // Submits only.
                Tandem client = Tandem.connect(settings())
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("count", String.class, (text, task) -> {})
                        .start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(client, "killed");
                return true;
            });
            await("checkpoint").atMost(PATIENCE).until(() -> Files.exists(journal));
            process.kill();
        }
        try (Tandem tandem =
                program().handler("count", String.class, this::count).start()) {
            awaitRan("killed from 3 attempt 2");
            awaitHealthy(tandem);
        }
    }

    private void count(String text, TaskContext task) {
        int from = task.checkpoint(Integer.class).orElse(0);
        ran.add(text + " from " + from + " attempt " + task.attempt());
    }

    @Test
    void aTaskThatIsStoppedBehindACheckpointGoesOnInTheNextProgram() throws Exception {
        CountDownLatch saved = new CountDownLatch(1);
        try (Tandem tandem = program()
                .handler("count", String.class, (text, task) -> {
                    task.checkpoint(7);
                    saved.countDown();
                    new CountDownLatch(1).await();
                })
                .start()) {
            awaitHealthy(tandem);
            submit(tandem, "stopped");
            await().atMost(PATIENCE).until(() -> saved.getCount() == 0);
        }
        try (Tandem tandem =
                program().handler("count", String.class, this::count).start()) {
            awaitRan("stopped from 7 attempt 1");
            awaitHealthy(tandem);
        }
    }

    @Test
    void aLoopOfSnoozesKeepsTheOrderOfItsKeyAndSpendsNoAttempt() throws Exception {
        AtomicReference<TaskContext> last = new AtomicReference<>();
        try (Tandem tandem = program()
                        .handler("count", String.class, (text, task) -> {
                            last.set(task);
                            int from = task.checkpoint(Integer.class).orElse(0);
                            ran.add(text + " " + from + " attempt " + task.attempt());
                            task.progress(from, 3, "of " + text);
                            task.log("at " + from);
                            if (from == 2 && task.attempt() == 1) {
                                throw new IllegalStateException("fails once");
                            } else if (from < 3) {
                                task.checkpoint(from + 1);
                                task.snooze(Duration.ofMillis(from == 0 ? 1_500 : 10));
                            }
                        })
                        .start();
                RedisStore store = SuiteRedis.of(source()).open()) {
            awaitHealthy(tandem);
            submit(tandem, "first", "second");
            awaitRan("first 0 attempt 1");
            await("progress")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(notes(store, last.get())).hasValueSatisfying(notes -> {
                        assertThat(notes.progress()).isNotNull();
                        assertThat(notes.progress().total()).isEqualTo(3);
                        assertThat(notes.log()).extracting(TaskNotes.Line::text).contains("at 0");
                        assertThat(notes.checkpoint()).isNotNull();
                    }));

            awaitRan("second 3 attempt 2");
            assertThat(ran)
                    .containsExactly(
                            "first 0 attempt 1",
                            "first 1 attempt 1",
                            "first 2 attempt 1",
                            "first 2 attempt 2",
                            "first 3 attempt 2",
                            "second 0 attempt 1",
                            "second 1 attempt 1",
                            "second 2 attempt 1",
                            "second 2 attempt 2",
                            "second 3 attempt 2");
            await("nothing is left")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(notes(store, last.get()))
                            .satisfiesAnyOf(
                                    gone -> assertThat(gone).isEmpty(),
                                    kept -> assertThat(kept).contains(TaskNotes.NONE)));
        }
    }

    private Optional<TaskNotes> notes(RedisStore store, TaskContext task) {
        String[] place = task.position().split("/", 2);
        return store.inspector()
                .task(new Partition(queue, place[0]), new Position(place[1]))
                .join()
                .map(TaskView::notes);
    }
}
