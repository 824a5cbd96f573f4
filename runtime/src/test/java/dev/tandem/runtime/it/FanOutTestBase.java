package dev.tandem.runtime.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.queues.TaskMetrics;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A program whose tasks fan out, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class FanOutTestBase {

    static final Duration PATIENCE = Brokers.PATIENCE;

    /** From this number on, subtasks run until they are interrupted. */
    static final int SLOW = 1_000_000;

    final String queue = UniqueNames.fresh("fans");
    final List<FanOutResult> results = new CopyOnWriteArrayList<>();
    final AtomicLong finalAt = new AtomicLong();
    final List<String> ids = new CopyOnWriteArrayList<>();
    /** How often each subtask ran. */
    final Map<Integer, AtomicInteger> ran = new ConcurrentHashMap<>();

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 4, backoff: { initial: 50ms } }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    /** Starts a program whose masters fan out as the handler says, and whose subtasks fail as their payloads say. */
    Tandem start(Master master) throws IOException {
        return start(master, this::row);
    }

    Tandem start(Master master, Master row) throws IOException {
        Tandem tandem = Tandem.connect(settings())
                .metrics(TaskMetrics.of(registry))
                .queue(queue)
                .handler("import", Integer.class, master::run)
                .handler("row", Integer.class, row::run)
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

    void row(Integer number, TaskContext task) throws InterruptedException {
        ran.computeIfAbsent(number, none -> new AtomicInteger()).incrementAndGet();
        if (number >= SLOW) {
            new CountDownLatch(1).await();
        }
        if (number < 0) {
            throw new FatalTaskException("Row " + number + " is bad");
        }
    }

    FanOut done() {
        return FanOut.then(TaskRequest.of(queue, "done", 0));
    }

    TaskRequest<?> subtask(int number) {
        return TaskRequest.of(queue, "row", number);
    }

    void submit(Tandem tandem, int count) {
        await("submission")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                                .submit(TaskRequest.of(queue, "import", count).withKey("import"))
                                .await(Duration.ofSeconds(10))
                        != null);
    }

    FanOutResult awaitResult() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(results).hasSize(1));
        return results.get(0);
    }

    FanOutResult awaitResultOf(String id) {
        return await().atMost(PATIENCE)
                .until(
                        () -> results.stream()
                                .filter(each -> each.id().equals(id))
                                .findFirst()
                                .orElse(null),
                        Objects::nonNull);
    }
}
