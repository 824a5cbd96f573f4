package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one task of a queue on the calling worker's thread and reports what came of it. Never throws. */
final class Runner implements RunPool.Job {

    private static final Logger log = LoggerFactory.getLogger(Runner.class);

    private final QueueSpec spec;
    private final Time time;
    private final Watchdog watchdog;
    private final Quarantine quarantine;
    private final ExecutorMetrics metrics;
    private final Counters counters;
    private final BiConsumer<Run, Outcome> finished;
    private final LogLimit deadLog;
    private final LogLimit errorLog;
    private final AtomicBoolean ignoredNoted = new AtomicBoolean();
    private volatile boolean refusing;

    Runner(
            QueueSpec spec,
            Time time,
            Watchdog watchdog,
            Quarantine quarantine,
            ExecutorMetrics metrics,
            Counters counters,
            BiConsumer<Run, Outcome> finished) {
        this.spec = spec;
        this.time = time;
        this.watchdog = watchdog;
        this.quarantine = quarantine;
        this.metrics = metrics;
        this.counters = counters;
        this.finished = finished;
        this.deadLog = new LogLimit(time, 10, 10_000);
        this.errorLog = new LogLimit(time, 2, 10_000);
    }

    /** From now on runs are handed back instead of started. */
    void refuse() {
        refusing = true;
    }

    @Override
    public void run(Run run, Slot slot) {
        Outcome outcome;
        try {
            outcome = attempt(run, slot);
        } catch (Throwable t) {
            log.error("Queue {}: running {} failed outside of its handler", spec.name(), run, t);
            outcome = new Outcome.Retry(1_000, OutcomeDecider.describe(t));
        }
        counters.count(outcome);
        finished.accept(run, outcome);
    }

    private Outcome attempt(Run run, Slot slot) {
        if (mayNotStart(run)) {
            return Outcome.NotStarted.INSTANCE;
        }
        Task task = run.task();
        noteIgnored(task);
        int maxAttempts = spec.maxAttemptsOf(task);
        if (run.attempt() > maxAttempts) {
            return dead(
                    run,
                    "all " + maxAttempts
                            + " attempts are used up, the last without an outcome: its executor died or was cut off");
        }
        String type = spec.handlers().typeOf(task.type());
        Handler handler = spec.handlers().find(type);
        if (handler == null) {
            return dead(run, spec.handlers().missing(spec.name(), type));
        }
        String named = type == null ? "" : type;
        if (run.lapses() < Quarantine.SUSPECT_AFTER) {
            return handle(run, slot, handler, named, maxAttempts);
        }
        log.warn(
                "Queue {}: the last {} executors that ran task {} ({}) died or were cut off. It runs alone now",
                spec.name(),
                run.lapses(),
                spec.idOf(run),
                run);
        try {
            boolean entered = quarantine.enter(slot, () -> mayNotStart(run));
            return entered ? handle(run, slot, handler, named, maxAttempts) : Outcome.NotStarted.INSTANCE;
        } finally {
            quarantine.leave(slot);
        }
    }

    private boolean mayNotStart(Run run) {
        return refusing || !run.mayBegin(time.millis());
    }

    private Outcome handle(Run run, Slot slot, Handler handler, String type, int maxAttempts) {
        while (true) {
            long startedNanos = time.nanos();
            Attempt attempt = new Attempt(run, spec, type, maxAttempts, time);
            watchdog.watch(slot, attempt);
            boolean begins = quarantine.admits(slot);
            // Ended at once if it may not begin: nothing interrupts it from then on.
            Ending ending = attempt.end(begins ? call(handler, attempt) : new Ending.Stopped());
            slot.set(null);
            if (begins) {
                Outcome outcome =
                        spec.decider().decide(ending, run.attempt(), maxAttempts, ThreadLocalRandom.current());
                note(attempt, ending, outcome, time.nanos() - startedNanos);
                return outcome;
            }
            if (!quarantine.awaitOpen(slot, () -> mayNotStart(run)) || mayNotStart(run)) {
                return Outcome.NotStarted.INSTANCE;
            }
        }
    }

    /** Once: someone counts on what is not there yet. */
    private void noteIgnored(Task task) {
        if (ignoredNoted.get()) {
            return;
        }
        String header = task.dedupKey() != null
                ? TaskHeaders.DEDUP_KEY
                : task.headers().containsKey(TaskHeaders.DEPENDS_ON) ? TaskHeaders.DEPENDS_ON : null;
        if (header != null && ignoredNoted.compareAndSet(false, true)) {
            log.warn(
                    "Queue {}: tasks come with the header {}, which is kept and shown but has no effect yet."
                            + " This is said once",
                    spec.name(),
                    header);
        }
    }

    private static Ending call(Handler handler, Attempt attempt) {
        try {
            Result result = handler.handle(attempt);
            if (result == null) {
                return new Ending.Threw(new IllegalStateException(
                        "The handler of type '" + attempt.type() + "' returned null: it must return a Result"));
            }
            return new Ending.Returned(result);
        } catch (Throwable failure) {
            return new Ending.Threw(failure);
        }
    }

    private Outcome dead(Run run, String reason) {
        logDead(spec.idOf(run), run, reason);
        return new Outcome.Dead(reason);
    }

    private void note(Attempt attempt, Ending ending, Outcome outcome, long nanos) {
        if (outcome instanceof Outcome.Dead dead) {
            logDead(attempt.id(), attempt, dead.error());
        } else if (outcome instanceof Outcome.Retry retry && log.isDebugEnabled()) {
            log.debug("Queue {}: {} again in {} ms: {}", spec.name(), attempt, retry.delayMillis(), retry.error());
        }
        if (ending instanceof Ending.Threw threw && threw.failure() instanceof Error error && errorLog.admit() >= 0) {
            log.error("Queue {}: the handler of {} threw an error", spec.name(), attempt, error);
        }
        boolean timedOut = ending instanceof Ending.TimedOut;
        if (timedOut) {
            counters.timedOut.increment();
        }
        try {
            if (timedOut) {
                metrics.timedOut(spec.name(), attempt.type());
            }
            metrics.finished(spec.name(), attempt.type(), outcome, nanos);
        } catch (RuntimeException e) {
            // The outcome stands, whatever the metrics library says.
            log.warn("Queue {}: the metrics of {} failed", spec.name(), attempt, e);
        }
    }

    private void logDead(String id, Object what, String reason) {
        long keptBack = deadLog.admit();
        if (keptBack >= 0) {
            log.warn(
                    "Queue {}: task {} is dead ({}){}: {}",
                    spec.name(),
                    id,
                    what,
                    keptBack == 0 ? "" : ", after " + keptBack + " more that were not logged",
                    reason.lines().findFirst().orElse(""));
        }
    }
}
