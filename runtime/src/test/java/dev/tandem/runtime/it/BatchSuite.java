package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.BatchFailedException;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TypedBatchHandler;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemStatus.QueueState;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs with batch handlers, over one kind of broker. */
abstract class BatchSuite {

    /** The timeout is so long that half of it cuts no wait short. */
    private static final HandlerOptions SOON_AGAIN = HandlerOptions.NONE
            .withBackoff(RetryPolicy.fixed(Duration.ofMillis(20)))
            .withTimeout("10m");

    /** One task of a call. */
    private record Ran(String key, int items, int attempt) {}

    private final String queue = UniqueNames.fresh("batches");
    /** The calls that ended. */
    private final List<List<Ran>> calls = new CopyOnWriteArrayList<>();

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
                tandem.queues.%s: { source: %s, ordering: key, partitions: 4 }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    private Tandem start(BatchOptions batch, TypedBatchHandler<Ship> code) throws IOException {
        Tandem tandem = Tandem.connect(settings())
                .queue(queue)
                .handlerBatch("ship", Ship.class, batch, code, SOON_AGAIN)
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void submit(Tandem tandem, String key, int items) {
        tandem.client()
                .submit(TaskRequest.of(queue, "ship", new Ship("o", items)).withKey(key));
    }

    private static List<Ran> call(List<Ship> ships, List<TaskContext> tasks) {
        assertThat(ships).hasSameSizeAs(tasks);
        assertThat(tasks).allSatisfy(each -> assertThat(each.batchSize()).isEqualTo(tasks.size()));
        return IntStream.range(0, tasks.size())
                .mapToObj(i -> new Ran(
                        String.valueOf(tasks.get(i).key()),
                        ships.get(i).items(),
                        tasks.get(i).attempt()))
                .toList();
    }

    private void record(List<Ship> ships, List<TaskContext> tasks) {
        calls.add(call(ships, tasks));
    }

    private List<Ran> all() {
        return calls.stream().flatMap(List::stream).toList();
    }

    private static QueueState state(Tandem tandem) {
        return tandem.status().queues().get(0);
    }

    @Test
    void keysStayInOrderAndATaskThatFailsIsTriedAgainAlone() throws IOException {
        int keys = 20;
        int each = 10;
        Ran bad = new Ran("key-3", 3, 1);
        try (Tandem tandem = start(BatchOptions.of(keys, "100ms"), (ships, tasks) -> {
            List<Ran> call = call(ships, tasks);
            calls.add(call);
            if (call.contains(bad)) {
                throw new BatchFailedException(Map.of(call.indexOf(bad), new IllegalStateException("bad")));
            }
        })) {
            for (int i = 0; i < each; i++) {
                for (int key = 0; key < keys; key++) {
                    submit(tandem, "key-" + key, i);
                }
            }
            await().atMost(PATIENCE).until(() -> state(tandem).succeeded() == (long) keys * each);

            for (int key = 0; key < keys; key++) {
                String name = "key-" + key;
                List<Ran> expected = new ArrayList<>(IntStream.range(0, each)
                        .mapToObj(i -> new Ran(name, i, 1))
                        .toList());
                if (key == 3) {
                    expected.add(4, new Ran(name, 3, 2));
                }
                assertThat(all()).filteredOn(ran -> ran.key().equals(name)).containsExactlyElementsOf(expected);
            }
            assertThat(calls)
                    .as("of a key one task at most")
                    .allSatisfy(call -> assertThat(call).extracting(Ran::key).doesNotHaveDuplicates());
            assertThat(calls)
                    .as("larger batches")
                    .anySatisfy(call -> assertThat(call).hasSizeGreaterThan(keys / 2));
            assertThat(calls).as("alone").contains(List.of(new Ran("key-3", 3, 2)));
            assertThat(state(tandem).retried()).isEqualTo(1);
        }
    }

    @Test
    void aBatchThatIsNotFullRunsAfterItsWaitAndGoesBackAtAStop() throws IOException {
        try (Tandem tandem = start(BatchOptions.of(50, "200ms"), this::record)) {
            submit(tandem, "a", 1);
            submit(tandem, "b", 2);
            await().atMost(PATIENCE).until(() -> state(tandem).succeeded() == 2);
        }
        calls.clear();
        try (Tandem tandem = start(BatchOptions.of(50, "1m"), this::record)) {
            submit(tandem, "a", 3);
            submit(tandem, "b", 4);
            submit(tandem, "c", 5);
            await().atMost(PATIENCE).until(() -> state(tandem).running() == 3);
            assertThat(calls).isEmpty();
        }
        assertThat(calls).isEmpty();
        try (Tandem tandem = start(BatchOptions.of(50, "200ms"), this::record)) {
            await().atMost(PATIENCE).until(() -> state(tandem).succeeded() == 3);
        }
        assertThat(calls.stream().flatMap(List::stream))
                .containsExactlyInAnyOrder(new Ran("a", 3, 1), new Ran("b", 4, 1), new Ran("c", 5, 1));
    }

    @Test
    void theTasksOfAKilledBatchRunAgainOneByOneAndTheirKeysStayInOrder() throws Exception {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "batches",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        BatchProgram.class.getName(),
                        List.of(settings().toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process;
                Tandem submitting = Tandem.connect(settings())
                        .setting("tandem.executor.enabled", "false")
                        .queue(queue)
                        .handler("ship", Ship.class, (ship, task) -> {})
                        .start()) {
            for (String key : List.of("a", "b", "c")) {
                await("the queue is there")
                        .atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> submitting
                                        .client()
                                        .submit(TaskRequest.of(queue, "ship", new Ship("o", 1))
                                                .withKey(key))
                                        .await(Duration.ofSeconds(10))
                                        .id()
                                        .length()
                                > 0);
                submit(submitting, key, 2);
            }
            await().atMost(PATIENCE).until(() -> Files.exists(journal) && Files.size(journal) > 0);
            assertThat(journal).hasContent("begun 3");
            process.kill();
        }
        try (Tandem tandem = start(BatchOptions.of(50, "50ms"), this::record)) {
            await().atMost(PATIENCE).until(() -> state(tandem).succeeded() >= 6);

            for (String key : List.of("a", "b", "c")) {
                assertThat(all())
                        .filteredOn(ran -> ran.key().equals(key))
                        .containsExactly(new Ran(key, 1, 2), new Ran(key, 2, 1));
                assertThat(calls).contains(List.of(new Ran(key, 1, 2)));
            }
        }
    }
}
