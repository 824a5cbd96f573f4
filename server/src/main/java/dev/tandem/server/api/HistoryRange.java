package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.statistics.StatisticsStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Times that a history may have, each with the shortest points in which it is kept. */
public enum HistoryRange {
    HOUR("1h", StatisticsStep.MINUTE),
    THREE_HOURS("3h", StatisticsStep.MINUTE),
    DAY("24h", StatisticsStep.FIVE_MINUTES),
    TWO_WEEKS("14d", StatisticsStep.HOUR);

    private static final int MAX_SHOWN = 20;
    private static final Pattern LENGTH = Pattern.compile("([1-9]\\d{0,4})([mhd])");

    private final String text;
    private final StatisticsStep kept;

    HistoryRange(String text, StatisticsStep kept) {
        this.text = text;
        this.kept = kept;
    }

    /** Returns the range with this text, such as {@code 24h}. */
    public static Optional<HistoryRange> find(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    /** @throws ApiException if there is no such range */
    static HistoryRange of(String text) {
        return find(text)
                .orElseThrow(() -> ApiException.parameter(
                        "range",
                        Sentence.of("problem.range", LogText.oneLine(text, MAX_SHOWN)),
                        Sentence.of(
                                "remedy.use",
                                Arrays.stream(values())
                                        .map(HistoryRange::toString)
                                        .collect(Collectors.joining(", ")))));
    }

    /**
     * Returns how many points of this length cover it. The last one has only begun. So if points are longer than those that are
     * kept, there is one more.
     */
    public int points(int stepMinutes) {
        return minutes(text) / stepMinutes + (stepMinutes > kept.minutes() ? 1 : 0);
    }

    /** Returns the shortest points in which it is kept. */
    public StatisticsStep kept() {
        return kept;
    }

    /** Returns the length of its points in minutes. @throws ApiException if it cannot consist of such points */
    int stepMinutes(@Nullable String step) {
        if (step == null) {
            return kept.minutes();
        }
        int minutes = minutes(step);
        if (minutes == 0 || minutes % kept.minutes() != 0 || minutes(text) % minutes != 0) {
            throw ApiException.parameter(
                    "step",
                    Sentence.of("problem.step", LogText.oneLine(step, MAX_SHOWN), text),
                    Sentence.of("remedy.step", kept.minutes(), text, kept.minutes() * 2));
        }
        return minutes;
    }

    /** Returns a length in minutes; 0 if the text is none. */
    private static int minutes(String text) {
        Matcher length = LENGTH.matcher(text);
        if (!length.matches()) {
            return 0;
        }
        int number = Integer.parseInt(length.group(1));
        long minutes = switch (length.group(2)) {
            case "m" -> number;
            case "h" -> Duration.ofHours(number).toMinutes();
            default -> Duration.ofDays(number).toMinutes();
        };
        return (int) Math.min(minutes, Integer.MAX_VALUE);
    }

    @Override
    public String toString() {
        return text;
    }
}
