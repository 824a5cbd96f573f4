package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.UnhandledSince;
import java.time.Duration;

/**
 * Says what becomes of a task for whose type an executor has no handler: the task is tried again until the grace is over,
 * and then dead. During a rolling deployment the executor that has the handler may be the next one that gets the task. Pure.
 *
 * @param grace how long after the first try the task is tried again; 0 for never
 */
record UnknownTypeGrace(Duration grace) {

    static final UnknownTypeGrace DEFAULT = new UnknownTypeGrace(Duration.ofMinutes(10));

    private static final long FIRST_DELAY_MILLIS = 1_000;
    private static final long MAX_DELAY_MILLIS = 30_000;

    /**
     * Decides about a task.
     *
     * @param missing says what is missing, and what to do about it
     * @param now in milliseconds since 1970. Executors whose clocks differ shorten or lengthen the grace by the difference
     */
    Outcome decide(Task task, String missing, long now) {
        if (grace.isZero()) {
            return new Outcome.Dead(missing);
        }
        long known = UnhandledSince.of(task);
        // A time in the future was written by a clock that was ahead.
        long since = known == UnhandledSince.NEVER ? now : Math.min(known, now);
        long waited = now - since;
        long left = grace.toMillis() - waited;
        if (left <= 0) {
            return new Outcome.Dead(missing + ". Executors were given the task for " + waited / 1_000
                    + " s, longer than unknown-type-grace, and none of them had a handler for it");
        }
        // The waits double the time since the first try, so that a new handler is found soon.
        long delay = Math.min(MAX_DELAY_MILLIS, Math.max(FIRST_DELAY_MILLIS, waited));
        return new Outcome.Unhandled(
                since,
                Math.min(delay, left),
                missing + ". It is tried again by itself for another " + left / 1_000 + " s");
    }
}
