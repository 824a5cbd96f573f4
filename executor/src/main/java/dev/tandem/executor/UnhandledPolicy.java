package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.UnhandledSince;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Says what becomes of tasks for whose types an executor has no handler, and of an executor that lacks handlers which the
 * others have. During a rolling deployment the executor that has the handler may be the next one that gets the task. Pure.
 *
 * @param grace how long after the first try a task is tried again before it is dead; 0 for dead at once
 * @param refuses whether an executor that lacks handlers for longer than the grace gives up its partitions; if not, it only warns
 */
public record UnhandledPolicy(Duration grace, boolean refuses) {

    /** The default of {@link QueueSpec.Builder#unhandledPolicy}: 10 min, then the executor is refused. */
    public static final UnhandledPolicy DEFAULT = new UnhandledPolicy(Duration.ofMinutes(10), true);

    private static final long FIRST_DELAY_MILLIS = 1_000;
    private static final long MAX_DELAY_MILLIS = 30_000;

    /** Enough for an executor that is refused to give its partitions up, and for others to take them. */
    private static final long HAND_OVER_MILLIS = 60_000;

    /** @throws IllegalArgumentException if the grace is negative */
    public UnhandledPolicy {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("unknown-type-grace is " + grace + ", it must be 0 or more");
        }
    }

    /**
     * Decides about a task.
     *
     * @param missing says what is missing, and what to do about it
     * @param now in milliseconds since 1970. Executors whose clocks differ shorten or lengthen the grace by the difference
     * @param refusedSoon whether another executor has the handler, and this one is about to be refused
     */
    Outcome decide(Task task, String missing, long now, boolean refusedSoon) {
        if (grace.isZero()) {
            return new Outcome.Dead(missing);
        }
        long known = UnhandledSince.of(task);
        // A time in the future was written by a clock that was ahead.
        long since = known == UnhandledSince.NEVER ? now : Math.min(known + notTried(task, now), now);
        long waited = now - since;
        long left = grace.toMillis() - waited;
        // The waits double the time since the first try, so that a new handler is found soon.
        long delay = Math.min(MAX_DELAY_MILLIS, Math.max(FIRST_DELAY_MILLIS, waited));
        if (left > 0) {
            Instant end = Instant.ofEpochMilli(since + grace.toMillis()).truncatedTo(ChronoUnit.SECONDS);
            long next = Math.min(delay, left);
            return new Outcome.Unhandled(
                    since, next, now + next, missing + ". It is tried again by itself until " + end);
        }
        if (refusedSoon && -left < grace.toMillis() + HAND_OVER_MILLIS) {
            return new Outcome.Unhandled(
                    since,
                    delay,
                    now + delay,
                    missing + ". It is tried again, because another executor has the handler");
        }
        return new Outcome.Dead(missing + ". Executors were given the task for " + waited / 1_000
                + " s, longer than unknown-type-grace, and none of them had a handler for it");
    }

    /** Returns for how long nobody tried the task although it was due: the queue was paused, or no executor ran. */
    private static long notTried(Task task, long now) {
        long due = UnhandledSince.nextTry(task);
        long late = due == UnhandledSince.NEVER ? 0 : now - due;
        // Workers that are busy make a try late by a little.
        return late > MAX_DELAY_MILLIS ? late : 0;
    }
}
