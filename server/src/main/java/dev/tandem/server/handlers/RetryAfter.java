package dev.tandem.server.handlers;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The header {@code Retry-After}, RFC 9110 section 10.2.3: seconds or a date. */
final class RetryAfter {

    /** A server can't put a task off for longer. */
    static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /** Zero or more; empty if it can't be read. */
    static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip();
        if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            // More digits than a long has are more than a day, too.
            long seconds = text.length() > 9 ? Long.MAX_VALUE : Long.parseLong(text);
            return Optional.of(Duration.ofSeconds(Math.min(seconds, LONGEST.toSeconds())));
        }
        try {
            Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration delay = Duration.between(now, date);
            return Optional.of(delay.isNegative() ? Duration.ZERO : delay.compareTo(LONGEST) > 0 ? LONGEST : delay);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
