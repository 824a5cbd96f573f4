package dev.tandem.executor;

import dev.tandem.api.FinalError;
import dev.tandem.api.RateLimitedException;
import dev.tandem.api.Result;
import dev.tandem.api.RetryLaterException;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.SnoozeError;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;

/**
 * Decides the outcome of an attempt from its end: succeeded, retry after a delay, dead, or returned. Pure; the chance
 * for jitter is an argument.
 *
 * @param retries the delays of failed attempts that do not choose their own
 * @param finalErrors the exceptions, subclasses included, that make a task dead at once
 */
record OutcomeDecider(RetryPolicy retries, Set<Class<? extends Throwable>> finalErrors) {

    private static final Duration MAX_DELAY = Duration.ofMillis(RetryPolicy.MAX_DELAY_MILLIS);
    private static final int MAX_FRAMES = 6;
    private static final int MAX_CAUSES = 4;

    OutcomeDecider {
        finalErrors = Set.copyOf(finalErrors);
    }

    /** @param attempt the number of the attempt that ended */
    Outcome decide(AttemptEnd end, int attempt, int maxAttempts, RandomGenerator random) {
        if (end instanceof AttemptEnd.Returned returned) {
            return decide(returned.result(), attempt, maxAttempts);
        } else if (end instanceof AttemptEnd.Threw threw) {
            return decide(unwrap(threw.failure()), attempt, maxAttempts, random);
        } else if (end instanceof AttemptEnd.TimedOut timedOut) {
            String error = "timed out after " + timedOut.timeoutMillis() + " ms";
            return retryOrDead(retries.delayMillis(attempt, random), error, attempt, maxAttempts);
        }
        if (end instanceof AttemptEnd.Failed failed) {
            long delay = failed.delayMillis() < 0
                    ? retries.delayMillis(attempt, random)
                    : Math.min(failed.delayMillis(), RetryPolicy.MAX_DELAY_MILLIS);
            return retryOrDead(delay, failed.error(), attempt, maxAttempts);
        } else if (end instanceof AttemptEnd.Lapsed lapsed) {
            // Like a claim that lapsed: others go on with the task at once.
            return retryOrDead(0, lapsed.how(), attempt, maxAttempts);
        }
        if (end instanceof AttemptEnd.Cancelled) {
            return Outcome.Cancelled.INSTANCE;
        } else if (end instanceof AttemptEnd.Discarded) {
            return Outcome.Cancelled.DISCARDED;
        }
        if (end instanceof AttemptEnd.Duplicate duplicate) {
            return new Outcome.Duplicate(duplicate.of());
        }
        // Stopped: the end was not the task's fault, so the attempt is not spent.
        return Outcome.NotStarted.INSTANCE;
    }

    /**
     * Whether the attempt failed for a reason that may pass: what the handler calls may be away. A handler that declares its
     * task dead judges the task, and says nothing about what it calls.
     */
    boolean failed(AttemptEnd end) {
        if (end instanceof AttemptEnd.Returned returned) {
            return returned.result() instanceof Result.Again;
        }
        return end instanceof AttemptEnd.TimedOut
                || end instanceof AttemptEnd.Failed
                || end instanceof AttemptEnd.Threw threw
                        && !isFinal(unwrap(threw.failure()))
                        && !snoozes(threw.failure());
    }

    /** Whether an attempt that fails with this exception is not spent. */
    boolean snoozes(Throwable failure) {
        Throwable thrown = unwrap(failure);
        return thrown instanceof SnoozeError && !(thrown instanceof RetryLaterException) && !isFinal(thrown);
    }

    /** Whether no other attempt follows one that fails with this exception, however many are left. */
    boolean isFatal(Throwable failure) {
        Throwable thrown = unwrap(failure);
        return !(thrown instanceof RetryLaterException) && isFinal(thrown);
    }

    private boolean isFinal(Throwable failure) {
        return failure instanceof FinalError || finalErrors.stream().anyMatch(type -> type.isInstance(failure));
    }

    private static Outcome decide(Result result, int attempt, int maxAttempts) {
        if (result instanceof Result.Again again) {
            return retryOrDead(bounded(again.delay()), again.reason(), attempt, maxAttempts);
        } else if (result instanceof Result.Dead dead) {
            return dead(dead.reason());
        } else if (result instanceof Result.Snooze snooze) {
            return new Outcome.Snoozed(bounded(snooze.delay()));
        }
        return Outcome.Succeeded.INSTANCE;
    }

    private Outcome decide(Throwable failure, int attempt, int maxAttempts, RandomGenerator random) {
        if (failure instanceof RetryLaterException later) {
            return retryOrDead(bounded(later.delay()), describe(later), attempt, maxAttempts);
        }
        if (isFinal(failure)) {
            return dead(describe(failure));
        }
        if (failure instanceof SnoozeError snooze) {
            return new Outcome.Snoozed(bounded(snooze.delay()), failure instanceof RateLimitedException);
        }
        return retryOrDead(retries.delayMillis(attempt, random), describe(failure), attempt, maxAttempts);
    }

    private static Outcome retryOrDead(long delayMillis, String error, int attempt, int maxAttempts) {
        if (attempt >= maxAttempts) {
            return dead("attempt " + attempt + " of " + maxAttempts + " was the last: " + error);
        }
        return new Outcome.Retry(delayMillis, cut(error));
    }

    private static Outcome dead(String error) {
        return new Outcome.Dead(cut(error));
    }

    /** Returns a handler's delay in milliseconds. The longest durations do not fit into a long. */
    private static long bounded(Duration delay) {
        if (delay.isNegative()) {
            return 0;
        }
        return delay.compareTo(MAX_DELAY) >= 0 ? RetryPolicy.MAX_DELAY_MILLIS : delay.toMillis();
    }

    /** Returns the exception that the handler's code threw, without the wrappers of reflection and futures. */
    private static Throwable unwrap(Throwable failure) {
        Throwable current = failure;
        for (int depth = 0; depth < MAX_CAUSES; depth++) {
            Throwable cause = current.getCause();
            boolean wrapper = current instanceof ExecutionException
                    || current instanceof CompletionException
                    || current instanceof InvocationTargetException
                    || current instanceof UndeclaredThrowableException;
            if (!wrapper || cause == null) {
                return current;
            }
            current = cause;
        }
        return current;
    }

    /** Returns the exception, its first stack frames and its causes, cut to the size that is kept with a task. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable current = failure;
        for (int depth = 0; current != null && depth < MAX_CAUSES; depth++) {
            text.append(depth == 0 ? "" : "\ncaused by ").append(current);
            StackTraceElement[] frames = current.getStackTrace();
            for (int i = 0; i < Math.min(MAX_FRAMES, frames.length); i++) {
                text.append("\n  at ").append(frames[i]);
            }
            current = current.getCause();
        }
        return cut(text.toString());
    }

    private static String cut(String error) {
        return error.length() <= Envelope.MAX_ERROR ? error : error.substring(0, Envelope.MAX_ERROR);
    }
}
