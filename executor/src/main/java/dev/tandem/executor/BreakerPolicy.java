package dev.tandem.executor;

import java.time.Duration;

/**
 * The rule by which a process slows down the starts of a queue's tasks, because nearly all attempts fail.
 *
 * @param enabled whether starts are ever slowed down
 * @param failures the share of failed attempts at which starts are slowed down; more than 0 and at most 1
 * @param attempts the number of attempts that must have ended within the window before the share counts; 1 to 100,000
 * @param window the age up to which attempts count; 1 s to 1 h
 */
public record BreakerPolicy(boolean enabled, double failures, int attempts, Duration window) {

    /** Slows starts down when 9 of 10 attempts failed, of at least 100 within 10 s. */
    public static final BreakerPolicy DEFAULTS = new BreakerPolicy(true, 0.9, 100, Duration.ofSeconds(10));

    /** Never slows starts down. */
    public static final BreakerPolicy OFF =
            new BreakerPolicy(false, DEFAULTS.failures, DEFAULTS.attempts, DEFAULTS.window);

    /** @throws IllegalArgumentException naming the number that is out of range */
    public BreakerPolicy {
        if (!(failures > 0 && failures <= 1)) {
            throw new IllegalArgumentException("failures is " + failures + ", it must be more than 0 and at most 1");
        }
        if (attempts < 1 || attempts > 100_000) {
            throw new IllegalArgumentException("attempts is " + attempts + ", it must be 1 to 100000");
        }
        if (window.toMillis() < 1_000 || window.toMillis() > 3_600_000) {
            throw new IllegalArgumentException("window is " + window + ", it must be 1s to 1h");
        }
    }
}
