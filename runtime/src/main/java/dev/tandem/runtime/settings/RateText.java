package dev.tandem.runtime.settings;

import dev.tandem.executor.TaskRate;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how many tasks may start in which time: {@code 100/s}, {@code 5/m}, {@code 10/30s}. */
public final class RateText {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*/\\s*(\\d{0,6})(ms|s|m|h|d)");

    private static final Map<String, Long> MICROS =
            Map.of("ms", 1_000L, "s", 1_000_000L, "m", 60_000_000L, "h", 3_600_000_000L, "d", 86_400_000_000L);

    private static final long LONGEST = 30 * 86_400_000_000L;

    private RateText() {}

    /**
     * Returns the time for one task in microseconds.
     *
     * @throws IllegalArgumentException saying what is allowed
     */
    public static long intervalMicros(String text) {
        Matcher read = TEXT.matcher(text.strip());
        if (read.matches()) {
            long tasks = Long.parseLong(read.group(1));
            long units = read.group(2).isEmpty() ? 1 : Long.parseLong(read.group(2));
            long time = units * MICROS.getOrDefault(read.group(3), 0L);
            if (tasks > 0 && time > 0 && time <= LONGEST && tasks * (1_000_000L / TaskRate.MOST) <= time) {
                return time / tasks;
            }
        }
        throw new IllegalArgumentException(
                "it must be a number of tasks and a time, such as 100/s, 5/m or 10/30s: at most " + TaskRate.MOST
                        + " a second, and a time of at most 30d");
    }
}
