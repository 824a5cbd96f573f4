package dev.tandem.executor;

import java.time.Duration;

/** Thrown by a handler for "again in this long": {@link Result.Again} for code that can't return one. */
public class RetryLaterException extends RuntimeException {

    private final Duration delay;

    /** @throws IllegalArgumentException if the delay is negative */
    public RetryLaterException(Duration delay, String reason) {
        super(reason);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
        }
        this.delay = delay;
    }

    public Duration delay() {
        return delay;
    }
}
