package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.Task;

/**
 * Says when the tasks of a queue expire. Pure.
 *
 * @param ttlMillis the time from when a task is due, of tasks that name none themselves; 0 for never
 */
record Expiration(long ttlMillis) {

    /** The time of a task that never expires. */
    static final long NEVER = 0;

    /** Returns when a task expires, in epoch milliseconds; {@link #NEVER} also if nobody knows when it was due. */
    long of(Task task) {
        long own = task.expiresAt();
        if (own > 0 || ttlMillis == 0) {
            return own;
        }
        long due = Math.max(task.publishedAt(), task.notBefore());
        return due <= 0 ? NEVER : due + ttlMillis;
    }

    /** Returns whether the time of a task is over. @param now epoch milliseconds */
    boolean isOver(Task task, long now) {
        long at = of(task);
        return at != NEVER && at <= now;
    }

    /**
     * Returns an outcome, unless the next attempt would begin after the task's time. Then the task expires at once, so that its
     * key does not wait for an attempt that will never be made.
     *
     * @param now epoch milliseconds
     */
    Outcome bounded(Outcome outcome, Task task, long now) {
        if (outcome instanceof Outcome.Retry retry && isOver(task, now + retry.delayMillis())) {
            return new Outcome.Expired(retry.error());
        } else if (outcome instanceof Outcome.Snoozed snoozed && isOver(task, now + snoozed.delayMillis())) {
            return new Outcome.Expired("ran, and asked to run again after its time");
        }
        return outcome;
    }
}
