package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A fresh queue with its workers, the tasks that are expected to succeed, and the journals of the workers. */
abstract class TestQueue implements AutoCloseable {

    /** Generous, so that a loaded machine does not fail a test. */
    static final Duration PATIENCE = Brokers.PATIENCE;

    static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    private final Path folder;
    private final Map<Path, Long> journals = new LinkedHashMap<>();
    private final List<WorkerProcess> processes = new ArrayList<>();
    private final Set<String> expected = new TreeSet<>();

    TestQueue(String prefix) {
        try {
            // Next to the brokers' logs, which are kept for the investigation of failures.
            Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
            this.folder = Files.createTempDirectory(logs, prefix + "-").toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    abstract String name();

    /** Waits until all published messages are acknowledged. */
    abstract void flush();

    // ---- workers

    /** Returns the options of a new worker with its own journal, a retry delay of 1 s and 4 attempts. */
    abstract TestWorker.Options worker();

    /** Returns the journal of a new worker. */
    final Path newJournal() {
        Path journal = folder.resolve(UniqueNames.fresh("journal"));
        journals.put(journal, RunHistory.RUNNING);
        return journal;
    }

    final WorkerProcess startProcess() {
        return startProcess(worker());
    }

    final WorkerProcess startProcess(TestWorker.Options options) {
        WorkerProcess process = new WorkerProcess(options, dead -> journals.put(dead.journal(), System.nanoTime()));
        processes.add(process);
        return process;
    }

    /** @throws IllegalStateException if a process ended unexpectedly */
    final void requireProcessesAlive() {
        processes.forEach(WorkerProcess::requireAlive);
    }

    /** Returns the runs of one worker. */
    final List<RunHistory.Run> runsOf(WorkerProcess worker) {
        Path journal = worker.options().journal();
        return RunHistory.read(Map.of(journal, journals.get(journal))).runs();
    }

    /** Returns the runs of all workers. */
    final RunHistory history() {
        return RunHistory.read(journals);
    }

    // ---- publishing and observing

    /** Waits until tasks can be published. To be called when a worker has started. */
    abstract void awaitReady();

    /** Publishes a task whose success is not awaited. @param key null for none @param payload null for none */
    abstract void publish(@Nullable String key, byte @Nullable [] payload, Map<String, String> headers);

    /** Returns how many partitions there are. */
    abstract int partitions();

    /** Waits until the broker may forget all tasks. */
    abstract void awaitAllSettled();

    /** Expects that the task with this id succeeds. */
    final void expect(String id) {
        expected.add(id);
    }

    /** The ids of all tasks that are expected to succeed. */
    final Set<String> expected() {
        return expected;
    }

    /** Waits until all {@linkplain #expect expected} tasks have succeeded. */
    final void awaitAllSucceeded() {
        flush();
        await("all of " + expected.size() + " tasks of " + name())
                .atMost(PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .untilAsserted(() -> {
                    requireProcessesAlive();
                    Set<String> missing = new TreeSet<>(expected);
                    missing.removeAll(history().succeeded());
                    assertThat(missing).as("tasks that have not succeeded").isEmpty();
                });
    }

    final void awaitStarted(String id) {
        flush();
        await("start of " + id).atMost(PATIENCE).pollInterval(POLL_INTERVAL).until(() -> {
            requireProcessesAlive();
            return !history().runsOf(id).isEmpty();
        });
    }

    @Override
    public abstract void close();
}
