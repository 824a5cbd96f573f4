package dev.tandem.verify.check;

import java.time.Duration;

/**
 * What the judge must know of a trial besides its events.
 *
 * @param ordered the queue keeps the order of keys
 * @param log the broker keeps offsets that are committed; else messages are acked
 * @param lease of claims
 * @param settling the longest that an outcome takes to its record while nothing is wrong; what ended longer before a
 *     fault is not explained by it
 * @param calmAfter how long after a fault waits are still its consequence
 * @param patience the longest p99 from publishing to start of keys that nothing is wrong with, while nothing is wrong, on a
 *     machine that is not busy
 * @param lag the most that the oldest uncommitted task may be old, while nothing is wrong, the same
 */
public record CheckerSettings(
        boolean ordered,
        boolean log,
        Duration lease,
        Duration settling,
        Duration calmAfter,
        Duration patience,
        Duration lag) {

    /** Three horizons of 3 s, and as long as it takes to look. */
    private static final Duration LAG = Duration.ofSeconds(10);

    /** The defaults for a queue with this lease. */
    public static CheckerSettings of(boolean ordered, boolean log, Duration lease) {
        return new CheckerSettings(
                ordered,
                log,
                lease,
                Duration.ofSeconds(3),
                lease.multipliedBy(2).plusSeconds(10),
                Duration.ofSeconds(1),
                LAG);
    }

    /** For a machine on which waits say less: so much longer may they be. */
    public CheckerSettings lenient(Duration longer) {
        return new CheckerSettings(ordered, log, lease, settling, calmAfter, patience.plus(longer), lag.plus(longer));
    }
}
