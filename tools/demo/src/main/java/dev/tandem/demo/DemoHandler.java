package dev.tandem.demo;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.JsonLinesLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The handler of the demonstration: does what the payload says, and logs the start and the end of every run. */
final class DemoHandler implements Handler, AutoCloseable {

    /**
     * The payload.
     *
     * @param work how long a run takes, in milliseconds
     * @param failures how many attempts fail before one succeeds
     * @param dead whether the task dies instead
     * @param step the task's place among the tasks of its key
     */
    record Script(int work, int failures, boolean dead, int step) {}

    private final JsonLinesLog<DemoEvent> events;

    /** @param file the event log; created with its folder if missing */
    DemoHandler(Path file) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            events = new JsonLinesLog<>(file);
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalArgumentException(
                    "tandem.demo.events is '" + file + "', which cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        Script script = task.payload(Script.class);
        note(DemoEvent.Kind.START, task);
        Thread.sleep(script.work());
        if (script.dead()) {
            note(DemoEvent.Kind.DEAD, task);
            return Result.dead("its payload says \"dead\": true (injected)");
        }
        if (task.attempt() <= script.failures()) {
            note(DemoEvent.Kind.FAILURE, task);
            throw new IllegalStateException("attempt " + task.attempt() + " fails (injected)");
        }
        note(DemoEvent.Kind.SUCCESS, task);
        return Result.done();
    }

    private void note(DemoEvent.Kind kind, TaskContext task) {
        events.write(new DemoEvent(kind, EpochMicros.now(), task.id(), task.attempt(), task.token()));
    }

    @Override
    public void close() {
        events.close();
    }
}
