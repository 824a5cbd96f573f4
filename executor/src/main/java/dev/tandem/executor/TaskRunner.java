package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.store.HandledTypes;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the tasks of one queue, each on the calling worker's thread, and reports their outcomes. Thread-safe. */
final class TaskRunner implements WorkerPool.RunAction {

    private static final Logger log = LoggerFactory.getLogger(TaskRunner.class);

    private static final long INTERNAL_ERROR_DELAY_MILLIS = 1_000;

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final TimeoutWatchdog watchdog;
    private final Quarantine quarantine;
    private final ExecutorMetrics metrics;
    private final ProgressWriter progress;
    private final Expiration expiration;
    private final KeptResults results;
    private final Supplier<? extends RandomGenerator> random;
    private final OutcomeCounters counters;
    private final Gates gates;
    private final Consumer<Run> again;
    private final BiConsumer<Run, Outcome> finished;
    private final RunLog runLog;
    private final RecentUnhandledTypes unhandledTypes = new RecentUnhandledTypes();
    private final HandlerComparison comparison = new HandlerComparison();
    private volatile boolean refusing;

    /**
     * Makes a runner.
     *
     * @param again receives a run, on any thread, that is to be given to a worker once more
     * @param finished receives the outcome of every run, on the worker's thread or another one
     */
    TaskRunner(
            QueueSpec spec,
            ExecutorContext context,
            OutcomeCounters counters,
            Gates gates,
            Consumer<Run> again,
            BiConsumer<Run, Outcome> finished) {
        this.spec = spec;
        this.expiration = new Expiration(spec.policy().ttlMillis());
        this.clock = context.clock();
        this.results = new KeptResults(spec, clock);
        this.watchdog = context.watchdog();
        this.quarantine = context.quarantine();
        this.metrics = context.metrics();
        this.progress = context.progress();
        this.random = context.random();
        this.counters = counters;
        this.gates = gates;
        this.again = again;
        this.finished = finished;
        this.runLog = new RunLog(spec, clock);
    }

    RecentUnhandledTypes unhandledTypes() {
        return unhandledTypes;
    }

    /** Returns how the handlers compare with those of other executors, which is for others to say. */
    HandlerComparison comparison() {
        return comparison;
    }

    /** Returns all further runs without an attempt. */
    void refuse() {
        refusing = true;
    }

    @Override
    public void run(Run run, WorkerSlot slot) {
        for (Run next = run; next != null; ) {
            next = runOne(next, slot);
        }
    }

    /** Runs a task. @return the run that has begun behind it, or null */
    private @Nullable Run runOne(Run run, WorkerSlot slot) {
        boolean gated = gates.concern(run.task());
        if (gated && !isLeftOut(run) && gates.mustWait(run, () -> again.accept(run))) {
            return null;
        }
        Outcome outcome;
        try {
            outcome = attempt(run, slot);
        } catch (Throwable t) {
            outcome = failed(run, t);
        }
        count(outcome);
        if (gated || gates.awaitEnd(run)) {
            Outcome ended = outcome;
            gates.ended(run, ended, () -> finished.accept(run, ended));
            return null;
        }
        // Before the report, from which the loop sees that the next one has begun.
        Run next = outcome instanceof Outcome.Succeeded && !refusing ? run.beginNext(clock.millis()) : null;
        finished.accept(run, outcome);
        return next;
    }

    private Outcome attempt(Run run, WorkerSlot slot) {
        Outcome without = withoutAttempt(run);
        if (without != null) {
            return without;
        }
        String type = spec.handlers().typeOf(run.task().type());
        Handler handler = spec.handlers().find(type);
        if (handler == null) {
            return unhandled(run, type);
        }
        String typeName = type == null ? "" : type;
        int maxAttempts = spec.maxAttemptsOf(run.task());
        return run.lapses() < Quarantine.SUSPECT_AFTER
                ? handle(run, slot, handler, typeName, maxAttempts)
                : handleAlone(run, slot, handler, typeName, maxAttempts);
    }

    /** Does the same as {@link #withoutAttempt}. A run of which that fails is tried again. */
    @Nullable
    Outcome checked(Run run) {
        try {
            return withoutAttempt(run);
        } catch (Throwable t) {
            return failed(run, t);
        }
    }

    Outcome failed(Run run, Throwable failure) {
        log.error("Queue {}: {} failed outside of its handler and will be retried", spec.name(), run, failure);
        recordTiming(run, 0);
        return new Outcome.Retry(INTERNAL_ERROR_DELAY_MILLIS, OutcomeDecider.describe(failure));
    }

    /** Takes what gates were answered about a run. @return the outcome of one that needs no handler; null if it needs one */
    @Nullable
    Outcome withoutAttempt(Run run) {
        Outcome withoutRun = gates.takeOutcome(run);
        if (withoutRun instanceof Outcome.Duplicate && !mayNotStart(run)) {
            // It may have succeeded before, so that it has not expired.
            return withoutRun(run, withoutRun);
        }
        Outcome withoutHandler = withoutHandler(run);
        if (withoutHandler != null) {
            return withoutHandler;
        }
        Task task = run.task();
        if (task.unreadable() != null) {
            return dead(run, task.unreadable());
        }
        if (withoutRun != null) {
            return withoutRun(run, withoutRun);
        }
        int maxAttempts = spec.maxAttemptsOf(task);
        if (run.attempt() > maxAttempts) {
            return dead(
                    run,
                    "all " + maxAttempts
                            + " attempts are used up. The last one had no outcome: its executor died or was cut off");
        }
        return null;
    }

    private Outcome withoutRun(Run run, Outcome outcome) {
        recordTiming(run, 0);
        if (outcome instanceof Outcome.Duplicate duplicate) {
            countDuplicate(run, duplicate);
        } else if (outcome instanceof Outcome.Dead dead) {
            runLog.dead(run, dead.error());
        }
        return outcome;
    }

    private void countDuplicate(Run run, Outcome.Duplicate duplicate) {
        log.debug("Queue {}: {} is a duplicate of {}", spec.name(), run, duplicate.of());
        metrics.duplicate(spec.name());
    }

    /** Returns whether a run goes back without an attempt: its claim or a permit is lost, or all are refused. */
    boolean mayNotStart(Run run) {
        return refusing || !run.mayBegin(clock.millis()) || gates.hasLost(run);
    }

    /** Returns what becomes of a run whose handler must not begin: it goes back, or its task is cancelled or has expired. Else null. */
    @Nullable
    Outcome withoutHandler(Run run) {
        if (isLeftOut(run)) {
            return leftOut(run);
        }
        if (!expiration.isOver(run.task(), clock.wallMillis())) {
            return null;
        }
        recordTiming(run, 0);
        return new Outcome.Expired(null);
    }

    /** Returns whether the handler of a run must not begin, though its task has not expired. */
    private boolean isLeftOut(Run run) {
        return run.isCancelled() || mayNotStart(run);
    }

    private Outcome leftOut(Run run) {
        if (mayNotStart(run)) {
            return Outcome.NotStarted.INSTANCE;
        }
        recordTiming(run, 0);
        return Outcome.Cancelled.BEFORE_RUN;
    }

    private Outcome handleAlone(Run run, WorkerSlot slot, Handler handler, String type, int maxAttempts) {
        runLog.runsAlone(run);
        try {
            boolean entered = quarantine.enter(slot, () -> isLeftOut(run));
            return entered ? handle(run, slot, handler, type, maxAttempts) : leftOut(run);
        } finally {
            quarantine.leave(slot);
        }
    }

    private Outcome handle(Run run, WorkerSlot slot, Handler handler, String type, int maxAttempts) {
        while (true) {
            long startedNanos = clock.nanos();
            Attempt attempt = new Attempt(run, spec, type, maxAttempts, clock, progress, clock.millis());
            watchdog.watch(slot, attempt);
            // Who loses a permit from now on is found in its slot, and interrupted.
            boolean begins = quarantine.admits(slot) && !gates.hasLost(run) && !run.isCancelled();
            if (begins) {
                began(attempt);
            }
            // An attempt that may not begin ends at once, so that nothing interrupts this thread while it waits.
            AttemptEnd end = attempt.end(begins ? call(handler, attempt) : new AttemptEnd.Stopped());
            slot.set(null);
            if (begins) {
                long nanos = clock.nanos() - startedNanos;
                Outcome outcome = outcome(run, attempt, end, maxAttempts);
                recordTiming(run, nanos / 1_000_000);
                record(attempt, run.task(), end, outcome, nanos);
                return outcome;
            }
            if (!quarantine.awaitOpen(slot, () -> isLeftOut(run)) || isLeftOut(run)) {
                return leftOut(run);
            }
        }
    }

    /** Decides what becomes of a task whose attempt ended. */
    Outcome outcome(Run run, Attempt attempt, AttemptEnd end, int maxAttempts) {
        AttemptEnd counted = end instanceof AttemptEnd.Returned returned
                ? new AttemptEnd.Returned(attempt.withSnooze(returned.result()))
                : end;
        Outcome outcome = spec.deciderOf(run.task()).decide(counted, run.attempt(), maxAttempts, random.get());
        outcome = expiration.bounded(outcome, run.task(), clock.wallMillis());
        if (outcome instanceof Outcome.Succeeded) {
            run.recordResult(results.of(attempt));
        } else if (outcome instanceof Outcome.Duplicate duplicate) {
            countDuplicate(run, duplicate);
        }
        attempt.endRecords(outcome);
        if (outcome instanceof Outcome.NotStarted && attempt.needsPlace()) {
            // A task that goes back to RabbitMQ may come again under another position, where nobody finds its
            // checkpoint.
            return new Outcome.Snoozed(0);
        }
        return outcome;
    }

    private static AttemptEnd call(Handler handler, Attempt attempt) {
        try {
            Result result = handler.handle(attempt);
            if (result == null) {
                return new AttemptEnd.Threw(new IllegalStateException(
                        "The handler of type '" + attempt.type() + "' returned null: it must return a Result"));
            }
            return new AttemptEnd.Returned(result);
        } catch (Throwable failure) {
            return new AttemptEnd.Threw(failure);
        }
    }

    void recordTiming(Run run, long millis) {
        run.recordTiming(clock.wallMillis() - millis, millis);
    }

    private Outcome dead(Run run, String reason) {
        runLog.dead(run, reason);
        return new Outcome.Dead(reason);
    }

    /** Decides about a task for whose type this executor has no handler: others may have it, or soon will. */
    private Outcome unhandled(Run run, @Nullable String type) {
        HandlerRegistry handlers = spec.handlers();
        String missing = handlers.describeMissing(spec.name(), type);
        String announced = type == null ? HandledTypes.NO_TYPE : type;
        boolean isNew = unhandledTypes.note(announced, clock.millis());
        Outcome outcome = handlers.unhandledPolicy()
                .decide(run.task(), missing, clock.wallMillis(), comparison.areLeftToOthers(announced));
        if (outcome instanceof Outcome.Unhandled unhandled) {
            runLog.unhandled(run, unhandled, isNew);
        } else if (outcome instanceof Outcome.Dead dead) {
            runLog.dead(run, dead.error());
        }
        return outcome;
    }

    /** Measures that an attempt begins. */
    void began(Attempt attempt) {
        try {
            metrics.started(spec.name(), attempt.waitMillis());
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to record the start of {}", spec.name(), attempt, e);
        }
    }

    /** Counts the outcome of a run. */
    void count(Outcome outcome) {
        counters.count(outcome);
        try {
            metrics.concluded(spec.name(), outcome);
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to record an outcome", spec.name(), e);
        }
    }

    /** Counts the outcome of a run, and reports it once the gates have heard of it. */
    void report(Run run, Outcome outcome) {
        count(outcome);
        if (gates.concern(run.task())) {
            gates.ended(run, outcome, () -> finished.accept(run, outcome));
        } else {
            finished.accept(run, outcome);
        }
    }

    /** Logs and measures an attempt. */
    void record(Attempt attempt, Task task, AttemptEnd end, Outcome outcome, long nanos) {
        runLog.ended(attempt, end, outcome);
        if (spec.deciderOf(task).failed(end)) {
            counters.failedAttempts.increment();
        }
        boolean timedOut = end instanceof AttemptEnd.TimedOut;
        if (timedOut) {
            counters.timedOut.increment();
        }
        try {
            if (timedOut) {
                metrics.timedOut(spec.name(), attempt.type());
            }
            metrics.ended(RunMeasurement.of(attempt, outcome, nanos));
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to record the metrics of {}", spec.name(), attempt, e);
        }
    }

    /** Counts in the log which lines were left out. @param all also those of the last seconds */
    void logLeftOut(boolean all) {
        runLog.leftOut(all);
    }
}
