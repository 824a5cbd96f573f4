package dev.tandem.scheduler;

import java.time.Duration;

/**
 * How much history is kept in each partition. A dead task that halts its key is always kept.
 *
 * @param deadFor how long dead tasks are kept
 * @param maxDead how many of them at most
 * @param maxSucceeded how many of the sampled successes at most
 */
public record Retention(Duration deadFor, int maxDead, int maxSucceeded) {

    /** 14 days, 100,000 dead, 1,000 succeeded. */
    public static final Retention DEFAULTS = new Retention(Duration.ofDays(14), 100_000, 1_000);

    public Retention {
        if (deadFor.isNegative() || maxDead < 0 || maxSucceeded < 0) {
            throw new IllegalArgumentException("retention can't be negative: " + deadFor + ", " + maxDead + " dead, "
                    + maxSucceeded + " succeeded");
        }
    }
}
