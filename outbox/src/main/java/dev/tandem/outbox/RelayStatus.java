package dev.tandem.outbox;

import org.jspecify.annotations.Nullable;

/**
 * What a relay has done since it started.
 *
 * @param buckets how many of the 64 buckets it has now
 * @param published rows that a broker acknowledged and that were deleted
 * @param refused rows that were set aside because they can never be published
 * @param failures attempts to publish a row that failed
 * @param problem why it does not publish anything now, as far as it knows; null if nothing is wrong
 */
public record RelayStatus(
        int buckets,
        long published,
        long refused,
        long failures,
        @Nullable String problem) {}
