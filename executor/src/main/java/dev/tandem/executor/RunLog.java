package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.LogText;
import dev.tandem.task.Outcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what becomes of a queue's runs to the log, a bounded number of lines in any time. Thread-safe. */
final class RunLog {

    /** Has the name of the class that runs the tasks, by which levels are set. */
    private static final Logger log = LoggerFactory.getLogger(TaskRunner.class);

    private static final int MAX_LOGGED_TEXT = 300;
    private static final long LOG_WINDOW_MILLIS = 10_000;

    private final QueueSpec spec;
    private final LogRateLimiter deadLog;
    private final LogRateLimiter failedLog;
    private final LogRateLimiter errorLog;
    private final LogRateLimiter unhandledLog;
    private final LogRateLimiter newTypeLog;

    RunLog(QueueSpec spec, ExecutorClock clock) {
        this.spec = spec;
        this.deadLog = new LogRateLimiter(clock, 10, LOG_WINDOW_MILLIS);
        this.failedLog = new LogRateLimiter(clock, 5, LOG_WINDOW_MILLIS);
        this.unhandledLog = new LogRateLimiter(clock, 3, LOG_WINDOW_MILLIS);
        this.newTypeLog = new LogRateLimiter(clock, 10, LOG_WINDOW_MILLIS);
        this.errorLog = new LogRateLimiter(clock, 2, LOG_WINDOW_MILLIS);
    }

    /** Logs how an attempt ended that is not a success. */
    void ended(Attempt attempt, AttemptEnd end, Outcome outcome) {
        if (outcome instanceof Outcome.Dead dead) {
            logDead(attempt.id(), attempt, isOrdered(attempt.key()), attempt.payload(), dead.error());
        } else if (outcome instanceof Outcome.Retry retry) {
            logFailed(attempt, retry.delayMillis(), retry.error());
        } else if (outcome instanceof Outcome.Expired expired) {
            logExpired(attempt, String.valueOf(expired.error()));
        } else if (outcome instanceof Outcome.Snoozed snoozed && end instanceof AttemptEnd.Threw threw) {
            logFailed(attempt, snoozed.delayMillis(), OutcomeDecider.describe(threw.failure()));
        }
        if (end instanceof AttemptEnd.Threw threw && threw.failure() instanceof Error error) {
            errorLog.log(notLogged -> log.error(
                    "Queue {}: the handler of {} threw an error", spec.name(), attempt, shown(attempt, error)));
        }
    }

    /** Logs that a task died without an attempt. */
    void dead(Run run, String reason) {
        logDead(spec.idOf(run), run, isOrdered(run.task().key()), run.task().payload(), reason);
    }

    /** Logs that there is no handler for a task here. @param isNew whether its type was not missed lately */
    void unhandled(Run run, Outcome.Unhandled unhandled, boolean isNew) {
        LogRateLimiter limiter = isNew ? newTypeLog : unhandledLog;
        limiter.log(notLogged -> log.warn(
                "Queue {}: task {} ({}) is tried again in {} ms{}: {}",
                spec.name(),
                LogText.oneLine(spec.idOf(run), MAX_LOGGED_TEXT),
                run,
                unhandled.delayMillis(),
                notLogged == 0 ? "" : ", " + notLogged + " more without a handler were not logged",
                loggable(run.task().payload(), unhandled.error())));
    }

    /** Logs that a task runs alone, because executors died while they ran it. */
    void runsAlone(Run run) {
        log.warn(
                "Queue {}: the last {} executors that ran task {} ({}) died or were cut off. It now runs alone in this"
                        + " executor",
                spec.name(),
                run.lapses(),
                LogText.oneLine(spec.idOf(run), MAX_LOGGED_TEXT),
                run);
    }

    /** Counts which lines were left out. @param all also those of the last seconds */
    void leftOut(boolean all) {
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
                loggable(attempt.payload(), error)));
    }

    private void logExpired(Attempt attempt, String error) {
        failedLog.log(notLogged -> log.info(
                "Queue {}: {} expires, since its next attempt would begin after its time{}: {}",
                spec.name(),
                attempt,
                notLogged == 0 ? "" : ", " + notLogged + " earlier failed attempts were not logged",
                loggable(attempt.payload(), error)));
    }

    private void logDead(String id, Object source, boolean keyed, byte[] payload, String reason) {
        deadLog.log(notLogged -> log.warn(
                "Queue {}: task {} is dead ({}){}: {}{}",
                spec.name(),
                LogText.oneLine(id, MAX_LOGGED_TEXT),
                source,
                notLogged == 0 ? "" : ", " + notLogged + " earlier dead tasks were not logged",
                loggable(payload, reason),
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

    /** Returns the first line of an error, masked. The others may quote a payload, which is never logged. */
    private String loggable(byte[] payload, String error) {
        String masked = spec.parts().log().mask().hide(payload, error);
        return LogText.oneLine(masked.lines().findFirst().orElse(""), MAX_LOGGED_TEXT);
    }

    /** Returns the error of a handler; another one with its place if its text has something that is masked. */
    private Throwable shown(Attempt attempt, Error error) {
        String text = error.toString();
        String masked = spec.parts().log().mask().hide(attempt.payload(), text);
        if (masked.equals(text)) {
            return error;
        }
        Throwable shown = new Throwable(masked);
        shown.setStackTrace(error.getStackTrace());
        return shown;
    }
}
