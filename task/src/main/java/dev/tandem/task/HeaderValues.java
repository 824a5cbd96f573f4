package dev.tandem.task;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

/** Parses header values (numbers, times, keys), and shows them to people. */
final class HeaderValues {

    /** The last millisecond of the year 9999. */
    static final long LATEST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

    private static final int MAX_ATTEMPTS = 1_000_000;
    private static final long MAX_TIMEOUT = Duration.ofDays(366).toMillis();
    private static final int MAX_NUMBER_LENGTH = 64;
    static final int MAX_SHOWN = 80;

    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private static final DateTimeFormatter ISO_WITH_OFFSET = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendPattern("[XXX][XX][X]")
            .toFormatter(Locale.ROOT);

    /** A time: epoch milliseconds or ISO-8601. May be in the past. */
    static final Form INSTANT = new Form(
            text -> isNumber(text)
                    ? Long.parseLong(text)
                    : OffsetDateTime.parse(text, ISO_WITH_OFFSET).toInstant().toEpochMilli(),
            Long.MIN_VALUE,
            LATEST,
            "use epoch milliseconds or ISO-8601 with an offset such as 2030-01-31T08:00:00Z, up to the year 9999");

    /** A delay: milliseconds or a duration. Zero and less mean no delay. */
    static final Form DELAY = new Form(
            HeaderValues::millis,
            Long.MIN_VALUE,
            LATEST,
            "use milliseconds or a duration such as 30s or PT30S, and no more than reaches the year 9999");

    /** A timeout: milliseconds or a duration, above zero. */
    static final Form TIMEOUT = new Form(
            HeaderValues::millis,
            1,
            MAX_TIMEOUT,
            "use milliseconds or a duration such as 30s or PT30S, above zero and up to 366d");

    /** How long a task may wait: milliseconds or a duration, above zero. */
    static final Form TTL = new Form(
            HeaderValues::millis,
            1,
            LATEST,
            "use milliseconds or a duration such as 30s or PT30S, above zero, that ends before the year 9999 does");

    /** For how long a deduplication key is taken: milliseconds or a duration. */
    static final Form WINDOW = new Form(
            HeaderValues::millis,
            1_000,
            Duration.ofDays(365).toMillis(),
            "use milliseconds or a duration such as 30s or PT30S, from 1s to 365d");

    /** A number of attempts. */
    static final Form COUNT =
            new Form(Long::parseLong, 1, MAX_ATTEMPTS, "use a whole number from 1 to " + MAX_ATTEMPTS);

    /** A priority. */
    static final Form PRIORITY =
            new Form(Long::parseLong, 0, TaskPriority.HIGHEST, "use a whole number from 0 to " + TaskPriority.HIGHEST);

    private HeaderValues() {}

    /** Whether a text is a delay of less than zero. */
    static boolean isNegativeDelay(String text) {
        try {
            return DELAY.read(text.strip()) < 0;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** A form of numbers, with the hint for values that do not have it. */
    record Form(Parser parser, long least, long most, String hint) {
        /** Reads a value. Throws some runtime exception if it does not have this form. */
        long read(String text) {
            if (text.length() > MAX_NUMBER_LENGTH) {
                throw new IllegalArgumentException("too long");
            }
            long value = parser.parse(text);
            if (value < least || value > most) {
                throw new IllegalArgumentException("out of range");
            }
            return value;
        }
    }

    @FunctionalInterface
    interface Parser {
        long parse(String text);
    }

    /** Whether the numbers of a task have their forms. Zero means that a task has none. */
    static boolean areInRange(Task task) {
        return task.notBefore() >= 0
                && task.notBefore() <= LATEST
                && task.timeoutMillis() >= 0
                && task.timeoutMillis() <= MAX_TIMEOUT
                && task.maxAttempts() >= 0
                && task.maxAttempts() <= MAX_ATTEMPTS
                && task.publishedAt() >= 0
                && task.publishedAt() <= LATEST;
    }

    /** Reads milliseconds, a number with a unit as in settings ({@code 30s}), or an ISO-8601 duration. */
    private static long millis(String text) {
        if (isNumber(text)) {
            return Long.parseLong(text);
        }
        int digits = 0;
        while (digits < text.length() && isNumber(text.substring(0, digits + 1))) {
            digits++;
        }
        ChronoUnit unit = digits == 0 ? null : UNITS.get(text.substring(digits).toLowerCase(Locale.ROOT));
        return unit == null
                ? Duration.parse(text).toMillis()
                : Duration.of(Long.parseLong(text.substring(0, digits)), unit).toMillis();
    }

    /** Whether a text is digits with at most one sign, which no ISO-8601 time or duration is. */
    private static boolean isNumber(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && !(i == 0 && (c == '-' || c == '+'))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Returns the number of bytes of the text in UTF-8, in which a lone surrogate is a question mark. */
    static int utf8Length(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 2;
                i++;
            } else if (c >= 0x80 && !Character.isSurrogate(c)) {
                bytes += c < 0x800 ? 1 : 2;
            }
        }
        return bytes;
    }

    /**
     * Returns the key for these bytes. Different bytes give different keys, except for texts that begin with 0x
     * themselves.
     */
    static String key(byte[] bytes) {
        String text = Utf8.decode(bytes);
        return text == null || hasControls(text) ? "0x" + HexFormat.of().formatHex(bytes) : text;
    }

    static boolean hasControls(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the value as an error message shows it: on one line, and not too long. */
    static String shown(byte[] bytes) {
        String text = Utf8.decode(bytes);
        String all = text == null ? "0x" + HexFormat.of().formatHex(bytes) : text;
        return LogText.oneLine(all, MAX_SHOWN);
    }
}
