package dev.tandem.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Decides how long a failed task waits for its next attempt. Implementations must be pure and thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

    /** The longest delay: 365 days in milliseconds. Sums of such delays and epoch times cannot overflow. */
    long MAX_DELAY_MILLIS = Duration.ofDays(365).toMillis();

    /**
     * Returns the delay after a failed attempt.
     *
     * @param attempt the number of the attempt that failed, 1 or more
     * @param random the source of chance for jitter
     * @return milliseconds, 0 to {@link #MAX_DELAY_MILLIS}
     */
    long delayMillis(int attempt, RandomGenerator random);

    /**
     * Returns a policy whose delays grow by a factor: {@code initial · multiplier^(attempt-1)}, at most {@code max},
     * then spread evenly over ± {@code jitter} of that.
     *
     * @param initial the delay after the first attempt, 0 or more
     * @param multiplier 1 to 1000
     * @param max the longest delay before jitter, {@code initial} to 365 days
     * @param jitter the share of the delay by which it varies, 0 to 1
     * @throws IllegalArgumentException if a value is out of its range; the message names it
     */
    static RetryPolicy exponential(Duration initial, double multiplier, Duration max, double jitter) {
        return new RetryPolicies.Exponential(initial.toMillis(), multiplier, max.toMillis(), jitter);
    }

    /**
     * Returns a policy with the same delay after every attempt.
     *
     * @throws IllegalArgumentException if the delay is not 0 to 365 days
     */
    static RetryPolicy fixed(Duration delay) {
        return new RetryPolicies.Fixed(delay.toMillis());
    }

    /**
     * Returns Sidekiq's policy: {@code n⁴ + 15} seconds plus a random whole number of seconds below {@code 10·(n+1)},
     * where n is 0 for the first retry. 25 retries take about three weeks. Source: {@code delay_for} and its jitter in
     * {@code lib/sidekiq/job_retry.rb} of Sidekiq 7.
     */
    static RetryPolicy sidekiq() {
        return RetryPolicies.Sidekiq.INSTANCE;
    }
}
