package dev.tandem.api;

import java.util.random.RandomGenerator;

/** The policies that the factory methods of {@link RetryPolicy} return. */
final class RetryPolicies {

    private RetryPolicies() {}

    record Exponential(long initialMillis, double multiplier, long maxMillis, double jitter) implements RetryPolicy {

        Exponential {
            require(initialMillis >= 0, "backoff.initial", initialMillis + " ms", "0 or more");
            require(multiplier >= 1 && multiplier <= 1000, "backoff.multiplier", multiplier, "1 to 1000");
            require(
                    maxMillis >= initialMillis && maxMillis <= MAX_DELAY_MILLIS,
                    "backoff.max",
                    maxMillis + " ms",
                    "at least backoff.initial (" + initialMillis + " ms) and at most 365 days");
            require(jitter >= 0 && jitter <= 1, "backoff.jitter", jitter, "0 to 1");
        }

        @Override
        public long delayMillis(int attempt, RandomGenerator random) {
            // The power may be infinite; min() makes it finite again.
            double delay = Math.min((double) maxMillis, initialMillis * Math.pow(multiplier, Math.max(0, attempt - 1)));
            double spread = jitter == 0 ? 0 : delay * jitter * (2 * random.nextDouble() - 1);
            return Math.min(MAX_DELAY_MILLIS, Math.round(delay + spread));
        }
    }

    record Fixed(long millis) implements RetryPolicy {

        Fixed {
            require(millis >= 0 && millis <= MAX_DELAY_MILLIS, "backoff", millis + " ms", "0 to 365 days");
        }

        @Override
        public long delayMillis(int attempt, RandomGenerator random) {
            return millis;
        }
    }

    enum Sidekiq implements RetryPolicy {
        INSTANCE;

        /** The delay is above its bound from here on. Higher powers would overflow. */
        private static final long MAX_RETRIES_COUNTED = 80;

        @Override
        public long delayMillis(int attempt, RandomGenerator random) {
            long retries = Math.min(MAX_RETRIES_COUNTED, Math.max(0, attempt - 1));
            long seconds = retries * retries * retries * retries + 15 + random.nextLong(10 * (retries + 1));
            return Math.min(MAX_DELAY_MILLIS, seconds * 1000);
        }
    }

    private static void require(boolean holds, String setting, Object value, String allowed) {
        if (!holds) {
            throw new IllegalArgumentException(setting + " is " + value + ", it must be " + allowed);
        }
    }
}
