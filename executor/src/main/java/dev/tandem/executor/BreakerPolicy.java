package dev.tandem.executor;

import java.time.Duration;

/**
 * Says when starts of a queue are slowed down in one process, because nearly all attempts fail.
 *
 * @param enabled whether they ever are
 * @param failures the share of failed attempts from which on they are, more than 0 and at most 1
 * @param attempts how many attempts must have ended within the window, 1 to 100,000
 * @param window how far back attempts count, 1 s to 1 h
 */
public record BreakerPolicy(boolean enabled, double failures, int attempts, Duration window) {

    /** 9 of 10 attempts failed, of at least 100 within 10 s. */
    public static final BreakerPolicy DEFAULTS = new BreakerPolicy(true, 0.9, 100, Duration.ofSeconds(10));

    /** Starts are never slowed down. */
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
