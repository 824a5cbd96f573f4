package dev.tandem.demo;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

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

    private final EventLog events;

    /** @param file the event log; created with its folder if missing */
    DemoHandler(Path file) {
        this.events = new EventLog(file);
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        Script script = task.payload(Script.class);
        note(DemoEvent.Kind.START, task);
        Thread.sleep(script.work());
        if (script.dead()) {
            note(DemoEvent.Kind.DEAD, task);
            return Result.dead("this order cannot be processed (injected)");
        }
        if (task.attempt() <= script.failures()) {
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
