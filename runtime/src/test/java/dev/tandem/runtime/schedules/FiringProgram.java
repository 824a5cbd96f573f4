package dev.tandem.runtime.schedules;

import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A program with one schedule and the clock of a test. It can die between any two steps of a firing. */
class FiringProgram implements FiringEffects, FiringClock, AutoCloseable {

    private final TaskEffects real;
    private final AtomicLong now;
    final List<String> submitted = new CopyOnWriteArrayList<>();
    final ScheduleRunner runner;
    private boolean closed;
    volatile boolean diesBeforeSubmission;
    volatile boolean diesBeforeMark;

    FiringProgram(Tandem tandem, RedisStore store, AtomicLong now, Schedule schedule) {
        this.real = new TaskEffects(tandem.client(), new EarlierTasks(store));
        this.now = now;
        runner = new ScheduleRunner(
                List.of(schedule),
                Set.of(schedule.queue()),
                store.schedules(),
                this,
                this,
                UniqueNames.fresh("program"),
                ScheduleMetrics.NONE);
        runner.start();
    }

    @Override
    public CompletionStage<?> submit(Schedule schedule, long instant) {
        submitted.add(schedule.taskId(instant));
        if (diesBeforeSubmission) {
            runner.kill();
            return new CompletableFuture<>();
        }
        CompletionStage<?> accepted = real.submit(schedule, instant);
        if (diesBeforeMark) {
            accepted.toCompletableFuture().join();
            runner.kill();
        }
        return accepted;
    }

    @Override
    public CompletionStage<TaskEnd> look(Schedule schedule, long instant) {
        return real.look(schedule, instant);
    }

    @Override
    public CompletionStage<?> cancel(Schedule schedule, long instant) {
        return real.cancel(schedule, instant);
    }

    @Override
    public long millis() {
        return now.get();
    }

    @Override
    public CompletionStage<?> follow() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        // The runner closes what it uses, which is this.
        if (!closed) {
            closed = true;
            runner.close();
            real.close();
        }
    }
}
