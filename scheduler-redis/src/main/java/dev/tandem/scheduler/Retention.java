package dev.tandem.scheduler;

import java.time.Duration;

/**
 * The bounds of the history in each partition. A dead task that halts its key is always kept.
 *
 * @param deadFor how long dead tasks are kept
 * @param maxDead the most dead tasks
 * @param maxSucceeded the most samples of succeeded tasks
 */
public record Retention(Duration deadFor, int maxDead, int maxSucceeded) {

    /** 14 days, 100,000 dead tasks, 1,000 succeeded ones. */
    public static final Retention DEFAULTS = new Retention(Duration.ofDays(14), 100_000, 1_000);

    public Retention {
        if (deadFor.isNegative() || maxDead < 0 || maxSucceeded < 0) {
            throw new IllegalArgumentException("Retention must not be negative, but is " + deadFor + ", " + maxDead
                    + " dead, " + maxSucceeded + " succeeded");
        }
    }
}
