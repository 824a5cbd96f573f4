package dev.tandem.server.handlers;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Parses the header {@code Retry-After} (RFC 9110, section 10.2.3): a number of seconds, or a date. */
final class RetryAfter {

    /** The longest delay that a server can ask for. */
    private static final Duration MAX_DELAY = Duration.ofDays(1);

    private RetryAfter() {}

    /** Returns the delay, zero or more; empty if the value cannot be parsed. */
    static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip();
        if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            // A number with too many digits for a long is longer than the limit in any case.
            long seconds = text.length() > 9 ? Long.MAX_VALUE : Long.parseLong(text);
            return Optional.of(Duration.ofSeconds(Math.min(seconds, MAX_DELAY.toSeconds())));
        }
        try {
            Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration delay = Duration.between(now, date);
            Duration bounded = delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay;
            return Optional.of(bounded.isNegative() ? Duration.ZERO : bounded);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
