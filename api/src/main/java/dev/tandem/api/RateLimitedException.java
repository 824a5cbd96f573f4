package dev.tandem.api;

import java.time.Duration;

/**
 * Thrown by a handler that was told to slow down by what it calls, for instance by an HTTP status 429. The task runs again after
 * the delay without having spent the attempt. The rate limits that cover the task pause for as long: with a limit for each key or
 * tenant, only that of its key or tenant.
 */
public class RateLimitedException extends RuntimeException implements SnoozeError {

    private final Duration delay;

    /**
     * Makes the exception.
     *
     * @param delay 0 or more; a delay over 365 days counts as 365 days
     * @param reason what said so, for the operator
     * @throws IllegalArgumentException if the delay is negative
     */
    public RateLimitedException(Duration delay, String reason) {
        super(reason);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
        }
        this.delay = delay;
    }

    @Override
    public Duration delay() {
        return delay;
    }
}
