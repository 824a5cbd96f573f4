package dev.tandem.server.demo;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Does what its task's payload says, and writes down every start and end. */
public final class DemoHandler implements Handler, AutoCloseable {

    /** What a payload says. */
    record Fate(int work, int failures, boolean dead, int step) {}

    private final EventLog events;

    /** @param file where to write; made with its folder when missing */
    public DemoHandler(Path file) {
        this.events = new EventLog(file);
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        Fate fate = task.payload(Fate.class);
        note(DemoEvent.Kind.START, task);
        Thread.sleep(fate.work());
        if (fate.dead()) {
            note(DemoEvent.Kind.DEAD, task);
            return Result.dead("this order can't be done (injected)");
        }
        if (task.attempt() <= fate.failures()) {
            note(DemoEvent.Kind.FAILURE, task);
            throw new IllegalStateException("attempt " + task.attempt() + " fails (injected)");
        }
        note(DemoEvent.Kind.SUCCESS, task);
        return Result.done();
    }

    private void note(DemoEvent.Kind kind, TaskContext task) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        events.append(new DemoEvent(kind, micros, task.id(), task.attempt(), task.token()));
    }

    @Override
    public void close() {
        events.close();
    }
}
