package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.store.PausedTasks;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the tasks aside whose type or key operators have paused. They go into custody like tasks that asked to run again later,
 * without spending an attempt: one with a key stays the head of its key, and the others of the key wait behind it. Whoever resumes
 * the type or the key makes them due. In case that is lost they look again by themselves, one after another. Thread-safe.
 */
final class PauseGate implements Gate {

    /** The shortest time for which a task is put aside. */
    private static final long LEAST_MILLIS = 10_000;

    /** The longest time for which a task is put aside. */
    private static final long MOST_MILLIS = 900_000;

    /** The time between the looks of two tasks, so that many paused tasks cost little. */
    private static final long STEP_MILLIS = 10;

    private final QueueSpec spec;
    private final Supplier<PausedTasks> paused;
    private final ExecutorClock clock;
    /** The time at which the task looks again that was put aside last, by the monotonic clock. */
    private final AtomicLong lastReturn;
    /** The outcomes of runs that were put aside and that workers have not begun. */
    private final RunAnswers aside = new RunAnswers();

    PauseGate(QueueSpec spec, Supplier<PausedTasks> paused, ExecutorClock clock) {
        this.spec = spec;
        this.paused = paused;
        this.clock = clock;
        this.lastReturn = new AtomicLong(clock.millis());
    }

    @Override
    public boolean concerns(Task task) {
        // What was decided must be found again after a resumption.
        return !aside.isEmpty() || isPaused(task);
    }

    private boolean isPaused(Task task) {
        PausedTasks now = paused.get();
        return !now.isEmpty() && now.covers(spec.handlers().typeOf(task.type()), task.key());
    }

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        if (run.task().unreadable() == null && isPaused(run.task()) && !aside.has(run)) {
            aside.put(run, Outcome.Snoozed.putAside(millisAside()));
        }
        return false;
    }

    private long millisAside() {
        long now = clock.millis();
        long at = lastReturn.updateAndGet(
                last -> Math.min(now + MOST_MILLIS, Math.max(last, now + LEAST_MILLIS) + STEP_MILLIS));
        return at - now;
    }

    @Override
    public boolean mayRun(Run run) {
        return aside.mayRun(run);
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        return aside.take(run);
    }

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        then.run();
    }
}
