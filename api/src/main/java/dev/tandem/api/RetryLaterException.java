package dev.tandem.api;

import java.time.Duration;

/**
 * Thrown by a handler to fail the attempt and choose the delay before the next one. The same as {@link Result#again}
 * for code that cannot return a result.
 */
public class RetryLaterException extends RuntimeException {

    private final Duration delay;

    /**
     * Makes the exception.
     *
     * @param delay 0 or more; a delay over 365 days counts as 365 days
     * @param reason why the attempt failed, for the operator
     * @throws IllegalArgumentException if the delay is negative
     */
    public RetryLaterException(Duration delay, String reason) {
        super(reason);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
        }
        this.delay = delay;
    }

    /** Returns the time between this attempt and the next one. */
    public Duration delay() {
        return delay;
    }
}
