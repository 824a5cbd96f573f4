package dev.tandem.scheduler;

import java.time.Duration;

/**
 * The bounds of the history in each partition. A dead task that halts its key is always kept.
 *
 * @param deadFor how long dead tasks are kept
 * @param maxDead the most dead tasks
 * @param succeededFor how long it is kept that tasks succeeded
 * @param maxSucceeded of how many tasks at most; 0: nothing is kept of any
 * @param maxSucceededBytes in how many bytes at most
 */
public record Retention(
        Duration deadFor, int maxDead, Duration succeededFor, int maxSucceeded, long maxSucceededBytes) {

    /** 14 days and 100,000 dead tasks; a day, 100,000 tasks and 8 MiB of those that succeeded. */
    public static final Retention DEFAULTS =
            new Retention(Duration.ofDays(14), 100_000, Duration.ofDays(1), 100_000, 8L << 20);

    public Retention {
        if (deadFor.isNegative()
                || maxDead < 0
                || succeededFor.isNegative()
                || maxSucceeded < 0
                || maxSucceededBytes < 0) {
            throw new IllegalArgumentException("Retention must not be negative, but is " + deadFor + ", " + maxDead
                    + " dead, " + succeededFor + ", " + maxSucceeded + " succeeded, " + maxSucceededBytes + " bytes");
        }
    }

    /** Whether anything is kept of tasks that succeed. */
    boolean keepsSuccesses() {
        return maxSucceeded > 0 && maxSucceededBytes > 0 && !succeededFor.isZero();
    }
}
