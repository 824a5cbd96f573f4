package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Programs with limits over one kind of broker, and how many of their handlers run. */
abstract class LimitsTestBase {

    final AtomicInteger running = new AtomicInteger();
    /** The most handlers that have run at once. */
    final AtomicInteger most = new AtomicInteger();

    private final List<Tandem> programs = new ArrayList<>();

    @TempDir
    Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void closePrograms() {
        programs.forEach(Tandem::close);
    }

    /** Writes settings with one queue. @param ofQueue further settings of the queue @param others further settings */
    Path settings(String queue, String ofQueue, String others) throws IOException {
        return settings("tandem.queues.%s: { source: %s, ordering: key, partitions: 4, concurrency: 16 %s }\n%s"
                .formatted(queue, source(), ofQueue, others));
    }

    Path settings(String queuesAndLimits) throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                %s
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queuesAndLimits));
    }

    /** Waits until a program has no problem any more. It is closed when the test ends. */
    Tandem ready(Tandem program) {
        programs.add(program);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(program.status().problems()).isEmpty());
        return program;
    }

    static void submit(Tandem program, List<TaskRequest<?>> requests) throws InterruptedException {
        List<TaskRef<?>> accepted = new ArrayList<>();
        for (TaskRequest<?> each : requests) {
            accepted.add(program.client().submit(each));
        }
        for (TaskRef<?> each : accepted) {
            each.await(PATIENCE);
        }
    }

    /** Counts a handler that begins. */
    void begins() {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
    }
}
