package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

/** A fresh queue with its workers: what was published on one side, what the workers noted on the other. */
abstract class Workplace implements AutoCloseable {

    /** Ample: a loaded machine must not fail a test. */
    static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));

    static final Duration LOOK = Duration.ofMillis(100);

    private final Path folder;
    private final Map<Path, Long> journals = new LinkedHashMap<>();
    private final List<Child> children = new ArrayList<>();
    private final Set<String> expected = new TreeSet<>();

    Workplace(String prefix) {
        try {
            // Where the brokers' logs are: they stay for who looks into a failed test.
            Path logs = Files.createDirectories(Path.of(System.getProperty("tandem.local.dir", "target/brokers")));
            this.folder = Files.createTempDirectory(logs, prefix + "-").toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    abstract String name();

    /** All that was published is acknowledged. */
    abstract void flush();

    // ---- workers

    /** Options of a new worker of this queue, with a journal of its own: failed tasks again in 1 s, 4 attempts. */
    abstract Worker.Options worker();

    /** For a new worker. */
    final Path journal() {
        Path journal = folder.resolve(UniqueNames.fresh("journal"));
        journals.put(journal, History.RUNNING);
        return journal;
    }

    final Child child() {
        return child(worker());
    }

    final Child child(Worker.Options options) {
        Child child = new Child(options, dead -> journals.put(dead.journal(), System.nanoTime()));
        children.add(child);
        return child;
    }

    /** @throws IllegalStateException if one ended that nobody killed */
    final void requireChildrenAlive() {
        children.forEach(Child::requireAlive);
    }

    /** What one worker noted. */
    final List<History.Run> runsOf(Child worker) {
        Path journal = worker.options().journal();
        return History.read(Map.of(journal, journals.get(journal))).runs();
    }

    /** What all workers noted. */
    final History history() {
        return History.read(journals);
    }

    // ---- publishing and seeing

    /** A task with this id was published and is to succeed in the end. */
    final void expect(String id) {
        expected.add(id);
    }

    /** All that is expected to succeed. */
    final Set<String> expected() {
        return expected;
    }

    /** Until all that was {@linkplain #expect expected} to has succeeded. */
    final void awaitAllSucceeded() {
        flush();
        await("all of " + expected.size() + " tasks of " + name())
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> {
                    requireChildrenAlive();
                    Set<String> missing = new TreeSet<>(expected);
                    missing.removeAll(history().succeeded());
                    assertThat(missing).as("tasks that have not succeeded").isEmpty();
                });
    }

    final void awaitStarted(String id) {
        flush();
        await("start of " + id).atMost(PATIENCE).pollInterval(LOOK).until(() -> {
            requireChildrenAlive();
            return !history().runsOf(id).isEmpty();
        });
    }

    @Override
    public abstract void close();
}
