package dev.tandem.verify.check;

import java.time.Duration;

/**
 * The facts of a trial that the checker needs besides its events.
 *
 * @param ordered whether the queue keeps the order of keys
 * @param log whether the broker commits offsets; otherwise it acks each message
 * @param overflows whether records wait in the log by design, so that the committed offset waits for them
 * @param lease lease of claims
 * @param settleTime longest time from a run's end until its outcome is recorded while no fault is active. A fault that
 *     begins later does not explain a duplicate
 * @param recoveryTime how long after a fault longer waits still count as its effect
 * @param maxWait limit for the p99 from publishing to start, of keys that are not stuck, while no fault is active and
 *     the machine is not busy
 * @param maxCommitLag limit for the age of the oldest uncommitted task under the same conditions
 */
public record CheckerSettings(
        boolean ordered,
        boolean log,
        boolean overflows,
        Duration lease,
        Duration settleTime,
        Duration recoveryTime,
        Duration maxWait,
        Duration maxCommitLag) {

    /** Three horizons of 3 s, and one second for the audit. */
    private static final Duration COMMIT_LAG = Duration.ofSeconds(10);

    /** Returns the defaults for a queue with this lease. */
    public static CheckerSettings of(boolean ordered, boolean log, Duration lease) {
        return new CheckerSettings(
                ordered,
                log,
                false,
                lease,
                Duration.ofSeconds(3),
                lease.multipliedBy(2).plusSeconds(10),
                Duration.ofSeconds(1),
                COMMIT_LAG);
    }

    /** Returns a copy for a queue whose records may wait in the log by design. */
    public CheckerSettings overflowing(boolean may) {
        return new CheckerSettings(ordered, log, may, lease, settleTime, recoveryTime, maxWait, maxCommitLag);
    }

    /** Returns a copy that allows longer waits, for a busy machine. */
    public CheckerSettings lenient(Duration longer) {
        return new CheckerSettings(
                ordered,
                log,
                overflows,
                lease,
                settleTime,
                recoveryTime,
                maxWait.plus(longer),
                maxCommitLag.plus(longer));
    }
}
