package dev.tandem.executor;

import dev.tandem.task.Outcome;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of a queue's runs in this process. Thread-safe. */
final class OutcomeCounters {
    final LongAdder succeeded = new LongAdder();
    final LongAdder retried = new LongAdder();
    /** Runs that asked to run again, or were stopped behind a checkpoint. */
    final LongAdder snoozed = new LongAdder();

    final LongAdder dead = new LongAdder();
    /** Tasks whose time was over before their handler began, or would have been before their next attempt. */
    final LongAdder expired = new LongAdder();

    /** Tasks that were cancelled while they ran. */
    final LongAdder cancelled = new LongAdder();
    /** Tasks that ended as duplicates: another one has their deduplication key, or they are copies. */
    final LongAdder duplicates = new LongAdder();

    final LongAdder notStarted = new LongAdder();
    /** Attempts that failed, and not for good by their own decision. They also count as retried or dead. */
    final LongAdder failedAttempts = new LongAdder();
    /** Attempts that were interrupted at their timeout. They also count as retried or dead. */
    final LongAdder timedOut = new LongAdder();

    void count(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            succeeded.increment();
        } else if (outcome instanceof Outcome.Duplicate) {
            duplicates.increment();
        } else if (outcome instanceof Outcome.Retry) {
            retried.increment();
        } else if (outcome instanceof Outcome.Snoozed) {
            snoozed.increment();
        } else if (outcome instanceof Outcome.Dead) {
            dead.increment();
        } else if (outcome instanceof Outcome.Expired) {
            expired.increment();
        } else if (outcome instanceof Outcome.Cancelled) {
            cancelled.increment();
        } else {
            notStarted.increment();
        }
    }
}
