package dev.tandem.executor;

import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;

/**
 * Turns the end of an attempt into the outcome that is settled: succeeded, again after a delay, or dead. Pure but for
 * the jitter's chance, which comes from outside.
 *
 * @param finalErrors exceptions (and their subclasses) that no further attempt can cure
 */
record OutcomeDecider(RetryPolicy retries, Set<Class<? extends Throwable>> finalErrors) {

    private static final int FRAMES = 6;
    private static final int CAUSES = 4;

    OutcomeDecider {
        finalErrors = Set.copyOf(finalErrors);
    }

    /** @param attempt the one that ended, starts lost with their executor included */
    Outcome decide(Ending ending, int attempt, int maxAttempts, RandomGenerator random) {
        if (ending instanceof Ending.Returned returned) {
            return decide(returned.result(), attempt, maxAttempts);
        } else if (ending instanceof Ending.Threw threw) {
            return decide(unwrap(threw.failure()), attempt, maxAttempts, random);
        } else if (ending instanceof Ending.TimedOut timedOut) {
            String error = "timed out after " + timedOut.millis() + " ms";
            return again(retries.delayMillis(attempt, random), error, attempt, maxAttempts);
        }
        // Ending.Stopped: its end says nothing of the task, so no attempt is spent.
        return Outcome.NotStarted.INSTANCE;
    }

    private static Outcome decide(Result result, int attempt, int maxAttempts) {
        if (result instanceof Result.Again again) {
            return again(bounded(again.delay().toMillis()), again.reason(), attempt, maxAttempts);
        } else if (result instanceof Result.Dead dead) {
            return dead(dead.reason());
        }
        return Outcome.Succeeded.INSTANCE;
    }

    private Outcome decide(Throwable failure, int attempt, int maxAttempts, RandomGenerator random) {
        if (failure instanceof RetryLaterException later) {
            return again(bounded(later.delay().toMillis()), describe(later), attempt, maxAttempts);
        }
        if (failure instanceof FinalError || finalErrors.stream().anyMatch(type -> type.isInstance(failure))) {
            return dead(describe(failure));
        }
        return again(retries.delayMillis(attempt, random), describe(failure), attempt, maxAttempts);
    }

    private static Outcome again(long delayMillis, String error, int attempt, int maxAttempts) {
        if (attempt >= maxAttempts) {
            return dead("attempt " + attempt + " of " + maxAttempts + " was the last: " + error);
        }
        return new Outcome.Retry(delayMillis, cut(error));
    }

    private static Outcome dead(String error) {
        return new Outcome.Dead(cut(error));
    }

    private static long bounded(long delayMillis) {
        return Math.min(delayMillis, RetryPolicy.MAX_DELAY_MILLIS);
    }

    /** The exception that the handler's code threw, out of what reflection and futures wrapped it in. */
    private static Throwable unwrap(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; depth < CAUSES; depth++) {
            Throwable cause = at.getCause();
            boolean wrapper = at instanceof ExecutionException
                    || at instanceof CompletionException
                    || at instanceof InvocationTargetException
                    || at instanceof UndeclaredThrowableException;
            if (!wrapper || cause == null) {
                return at;
            }
            at = cause;
        }
        return at;
    }

    /** Class, message, the first frames and the causes, cut to what is kept with a task. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable at = failure;
        for (int depth = 0; at != null && depth < CAUSES; depth++) {
            text.append(depth == 0 ? "" : "\ncaused by ").append(at);
            StackTraceElement[] frames = at.getStackTrace();
            for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                text.append("\n  at ").append(frames[i]);
            }
            at = at.getCause();
        }
        return cut(text.toString());
    }

    private static String cut(String error) {
        return error.length() <= Envelope.MAX_ERROR ? error : error.substring(0, Envelope.MAX_ERROR);
    }
}
