package dev.tandem.runtime.settings;

import java.time.Duration;

/** Writes durations as they are written in settings. */
public final class DurationText {

    private DurationText() {}

    /** Uses the largest unit that fits: {@code 3s}, {@code 1500ms}, {@code 14d}. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 86_400_000 == 0) {
            return millis / 86_400_000 + "d";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
