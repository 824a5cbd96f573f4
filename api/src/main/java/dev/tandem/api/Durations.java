package dev.tandem.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text, the same in annotations, options, settings, headers and the command line. */
public final class Durations {

    private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d{1,18})(ms|s|m|h|d)?");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param name what the duration is for, for the message
     * @param text a number with a unit (ms, s, m, h, d), milliseconds without one, or ISO-8601 such as {@code PT30S}
     * @throws InvalidTaskException if the text is none of these; the message shows it
     */
    public static Duration parse(String name, String text) {
        try {
            Matcher simple = SIMPLE.matcher(text.strip());
            if (simple.matches()) {
                String unit = simple.group(2);
                return Duration.of(Long.parseLong(simple.group(1)), unit == null ? ChronoUnit.MILLIS : UNITS.get(unit));
            }
            return Duration.parse(text.strip());
        } catch (DateTimeException | ArithmeticException e) {
            throw new InvalidTaskException(
                    "The " + name + " '" + text + "' is no duration: write one such as 500ms, 30s, 5m, 2h, 7d or PT30S",
                    e);
        }
    }
}
