package dev.tandem.executor;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long a failed task waits for its next attempt. Pure; chance comes from outside. */
@FunctionalInterface
public interface RetryPolicy {

    /** No task waits longer than this, 365 days in milliseconds: sums of epoch times stay exact everywhere. */
    long MAX_DELAY_MILLIS = Duration.ofDays(365).toMillis();

    /**
     * The delay after a failed attempt.
     *
     * @param attempt the one that failed, 1 or more
     * @return milliseconds, 0 to {@link #MAX_DELAY_MILLIS}
     */
    long delayMillis(int attempt, RandomGenerator random);

    /**
     * Grows by a factor: {@code initial · multiplier^(attempt-1)}, at most {@code max}, then spread evenly over
     * ± {@code jitter} of itself.
     *
     * @param multiplier 1 or more
     * @param jitter 0 to 1
     * @throws IllegalArgumentException if a number is out of its range, or initial is above max
     */
    static RetryPolicy exponential(Duration initial, double multiplier, Duration max, double jitter) {
        return new Backoff.Exponential(initial.toMillis(), multiplier, max.toMillis(), jitter);
    }

    /** The same delay after every attempt. */
    static RetryPolicy fixed(Duration delay) {
        return new Backoff.Fixed(delay.toMillis());
    }

    /**
     * Sidekiq's: {@code n⁴ + 15} seconds plus a random whole number of seconds below {@code 10·(n+1)}, where n counts
     * from 0 for the first retry; 25 of them take about three weeks. Source: {@code lib/sidekiq/job_retry.rb} of
     * Sidekiq 7, {@code delay_for} and its jitter.
     */
    static RetryPolicy sidekiq() {
        return Backoff.Sidekiq.INSTANCE;
    }
}
