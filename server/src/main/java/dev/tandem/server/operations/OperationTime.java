package dev.tandem.server.operations;

import dev.tandem.api.Durations;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.task.LogText;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * A time in the request of an operation, or of a list of dead tasks: epoch milliseconds, ISO-8601 with an offset, or a duration with a sign, which counts
 * from when the operation began ({@code -1h}, {@code +30m}).
 */
public final class OperationTime {

    private static final int MAX_LENGTH = 64;
    private static final long LATEST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

    private OperationTime() {}

    /**
     * Returns the time in epoch milliseconds.
     *
     * @param name what the time is for, for the message
     * @param text null for no time
     * @param beganMillis when the operation began
     * @param otherwise what is returned if there is no time
     * @throws IllegalArgumentException if the text is none of these; the message says what to write
     */
    public static long millis(String name, @Nullable String text, long beganMillis, long otherwise) {
        if (text == null) {
            return otherwise;
        }
        long millis;
        try {
            millis = read(name, text, beganMillis);
        } catch (DateTimeParseException | ArithmeticException | NumberFormatException | InvalidTaskException e) {
            throw wrong(name, text);
        }
        if (millis < 0 || millis > LATEST) {
            throw wrong(name, text);
        }
        return millis;
    }

    private static long read(String name, String text, long beganMillis) {
        if (text.length() > MAX_LENGTH || text.isBlank()) {
            throw wrong(name, text);
        } else if (text.matches("\\d{1,18}")) {
            return Long.parseLong(text);
        } else if (text.matches("[+-][0-9P].*")) {
            Duration length = Durations.parse(name, text.substring(1));
            long millis = length.toMillis();
            return text.startsWith("-") ? Math.subtractExact(beganMillis, millis) : Math.addExact(beganMillis, millis);
        }
        return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    }

    private static IllegalArgumentException wrong(String name, String text) {
        return new IllegalArgumentException("The parameter " + name + " is '" + LogText.oneLine(text, MAX_LENGTH)
                + "': use epoch milliseconds, ISO-8601 with an offset such as 2030-01-31T08:00:00Z, or a duration from now"
                + " such as -1h or +30m");
    }
}
