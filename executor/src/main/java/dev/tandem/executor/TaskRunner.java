package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.task.LogText;
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

    private static final int MAX_LOGGED_TEXT = 300;

    private static final Logger log = LoggerFactory.getLogger(TaskRunner.class);

    private static final long INTERNAL_ERROR_DELAY_MILLIS = 1_000;
    private static final long LOG_WINDOW_MILLIS = 10_000;

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
    private final DedupGate dedup;
    private final Consumer<Run> again;
    private final BiConsumer<Run, Outcome> finished;
    private final LogRateLimiter deadLog;
    private final LogRateLimiter failedLog;
    private final LogRateLimiter errorLog;
    private final LogRateLimiter unhandledLog;
    private final LogRateLimiter newTypeLog;
    /** One for all queues, because a process says it once. */
    private static final HeadersWithoutEffect HEADERS_WITHOUT_EFFECT = new HeadersWithoutEffect();

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
            DedupGate dedup,
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
        this.dedup = dedup;
        this.again = again;
        this.finished = finished;
        this.deadLog = new LogRateLimiter(clock, 10, LOG_WINDOW_MILLIS);
        this.failedLog = new LogRateLimiter(clock, 5, LOG_WINDOW_MILLIS);
        this.unhandledLog = new LogRateLimiter(clock, 3, LOG_WINDOW_MILLIS);
        this.newTypeLog = new LogRateLimiter(clock, 10, LOG_WINDOW_MILLIS);
        this.errorLog = new LogRateLimiter(clock, 2, LOG_WINDOW_MILLIS);
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
        boolean hasDedupKey = run.task().dedupKey() != null;
        if (hasDedupKey && !mayNotStart(run) && dedup.mustWait(run, () -> again.accept(run))) {
            return null;
        }
        Outcome outcome;
        try {
            outcome = attempt(run, slot);
        } catch (Throwable t) {
            log.error("Queue {}: {} failed outside of its handler and will be retried", spec.name(), run, t);
            recordTiming(run, 0);
            outcome = new Outcome.Retry(INTERNAL_ERROR_DELAY_MILLIS, OutcomeDecider.describe(t));
        }
        counters.count(outcome);
        if (hasDedupKey) {
            Outcome ended = outcome;
            dedup.ended(run, ended, () -> finished.accept(run, ended));
            return null;
        }
        // Before the report, from which the loop sees that the next one has begun.
        Run next = outcome instanceof Outcome.Succeeded && !refusing ? run.beginNext(clock.millis()) : null;
        finished.accept(run, outcome);
        return next;
    }

    private Outcome attempt(Run run, WorkerSlot slot) {
        Outcome withoutRun = dedup.takeOutcome(run);
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
        HEADERS_WITHOUT_EFFECT.warn(spec.name(), task);
        int maxAttempts = spec.maxAttemptsOf(task);
        if (run.attempt() > maxAttempts) {
            return dead(
                    run,
                    "all " + maxAttempts
                            + " attempts are used up. The last one had no outcome: its executor died or was cut off");
        }
        String type = spec.handlers().typeOf(task.type());
        Handler handler = spec.handlers().find(type);
        if (handler == null) {
            return unhandled(run, type);
        }
        String typeName = type == null ? "" : type;
        return run.lapses() < Quarantine.SUSPECT_AFTER
                ? handle(run, slot, handler, typeName, maxAttempts)
                : handleAlone(run, slot, handler, typeName, maxAttempts);
    }

    private Outcome withoutRun(Run run, Outcome outcome) {
        recordTiming(run, 0);
        if (outcome instanceof Outcome.Duplicate duplicate) {
            log.debug("Queue {}: {} is a duplicate of {}", spec.name(), run, duplicate.of());
            metrics.duplicate(spec.name());
        }
        return outcome;
    }

    /** Returns whether a run goes back without an attempt: its claim no longer holds, or all are refused. */
    boolean mayNotStart(Run run) {
        return refusing || !run.mayBegin(clock.millis());
    }

    /** Returns what becomes of a run whose handler must not begin: it goes back, or its task has expired. Else null. */
    @Nullable
    Outcome withoutHandler(Run run) {
        if (mayNotStart(run)) {
            return Outcome.NotStarted.INSTANCE;
        }
        if (!expiration.isOver(run.task(), clock.wallMillis())) {
            return null;
        }
        recordTiming(run, 0);
        return new Outcome.Expired(null);
    }

    private Outcome handleAlone(Run run, WorkerSlot slot, Handler handler, String type, int maxAttempts) {
        log.warn(
                "Queue {}: the last {} executors that ran task {} ({}) died or were cut off. It now runs alone in this"
                        + " executor",
                spec.name(),
                run.lapses(),
                LogText.oneLine(spec.idOf(run), MAX_LOGGED_TEXT),
                run);
        try {
            boolean entered = quarantine.enter(slot, () -> mayNotStart(run));
            return entered ? handle(run, slot, handler, type, maxAttempts) : Outcome.NotStarted.INSTANCE;
        } finally {
            quarantine.leave(slot);
        }
    }

    private Outcome handle(Run run, WorkerSlot slot, Handler handler, String type, int maxAttempts) {
        while (true) {
            long startedNanos = clock.nanos();
            Attempt attempt = new Attempt(run, spec, type, maxAttempts, clock, progress);
            watchdog.watch(slot, attempt);
            boolean begins = quarantine.admits(slot);
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
            if (!quarantine.awaitOpen(slot, () -> mayNotStart(run)) || mayNotStart(run)) {
                return Outcome.NotStarted.INSTANCE;
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
        }
        attempt.endNotes(outcome instanceof Outcome.Succeeded
                || outcome instanceof Outcome.Expired
                || outcome instanceof Outcome.Cancelled);
        if (outcome instanceof Outcome.NotStarted && attempt.hasCheckpoint()) {
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
        logDead(spec.idOf(run), run, isOrdered(run.task().key()), reason);
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
            LogRateLimiter limiter = isNew ? newTypeLog : unhandledLog;
            limiter.log(notLogged -> log.warn(
                    "Queue {}: task {} ({}) is tried again in {} ms{}: {}",
                    spec.name(),
                    LogText.oneLine(spec.idOf(run), MAX_LOGGED_TEXT),
                    run,
                    unhandled.delayMillis(),
                    notLogged == 0 ? "" : ", " + notLogged + " more without a handler were not logged",
                    loggable(unhandled.error())));
        } else if (outcome instanceof Outcome.Dead dead) {
            logDead(spec.idOf(run), run, isOrdered(run.task().key()), dead.error());
        }
        return outcome;
    }

    /** Logs and measures an attempt. */
    void record(Attempt attempt, Task task, AttemptEnd end, Outcome outcome, long nanos) {
        if (outcome instanceof Outcome.Dead dead) {
            logDead(attempt.id(), attempt, isOrdered(attempt.key()), dead.error());
        } else if (outcome instanceof Outcome.Retry retry) {
            logFailed(attempt, retry.delayMillis(), retry.error());
        } else if (outcome instanceof Outcome.Expired expired) {
            logExpired(attempt, String.valueOf(expired.error()));
        } else if (outcome instanceof Outcome.Snoozed snoozed && end instanceof AttemptEnd.Threw threw) {
            logFailed(attempt, snoozed.delayMillis(), OutcomeDecider.describe(threw.failure()));
        }
        if (end instanceof AttemptEnd.Threw threw && threw.failure() instanceof Error error) {
            errorLog.log(
                    notLogged -> log.error("Queue {}: the handler of {} threw an error", spec.name(), attempt, error));
        }
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
            metrics.ended(attempt.measured(outcome, nanos));
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to record the metrics of {}", spec.name(), attempt, e);
        }
    }

    /** Counts in the log which lines were left out. @param all also those of the last seconds */
    void logLeftOut(boolean all) {
        failedLog.logSuppressed(
                all,
                notLogged -> log.info("Queue {}: {} more failed attempts were not logged", spec.name(), notLogged));
        deadLog.logSuppressed(
                all, notLogged -> log.warn("Queue {}: {} more dead tasks were not logged", spec.name(), notLogged));
    }

    private void logFailed(Attempt attempt, long delayMillis, String error) {
        failedLog.log(notLogged -> log.info(
                "Queue {}: {} failed and will be retried in {} ms{}: {}",
                spec.name(),
                attempt,
                delayMillis,
                notLogged == 0 ? "" : ", " + notLogged + " earlier failed attempts were not logged",
                loggable(error)));
    }

    private void logExpired(Attempt attempt, String error) {
        failedLog.log(notLogged -> log.info(
                "Queue {}: {} expires, since its next attempt would begin after its time{}: {}",
                spec.name(),
                attempt,
                notLogged == 0 ? "" : ", " + notLogged + " earlier failed attempts were not logged",
                loggable(error)));
    }

    private void logDead(String id, Object source, boolean keyed, String reason) {
        deadLog.log(notLogged -> log.warn(
                "Queue {}: task {} is dead ({}){}: {}{}",
                spec.name(),
                LogText.oneLine(id, MAX_LOGGED_TEXT),
                source,
                notLogged == 0 ? "" : ", " + notLogged + " earlier dead tasks were not logged",
                loggable(reason),
                keyed ? meaningForKey() : ""));
    }

    private boolean isOrdered(@Nullable String key) {
        return key != null && spec.policy().ordered();
    }

    /** Says what a death means for the other tasks of its key. {@link HaltedKeyLog} says which keys are halted. */
    private String meaningForKey() {
        return switch (spec.policy().deadHead()) {
            case HALT -> "";
            case SKIP -> ". Its key goes on without it";
            case DRAIN -> ". The tasks that wait behind it die too";
        };
    }

    /** Returns the first line of an error. The others may quote a payload, which is never logged. */
    private static String loggable(String error) {
        return LogText.oneLine(error.lines().findFirst().orElse(""), MAX_LOGGED_TEXT);
    }
}
