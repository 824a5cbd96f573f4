package dev.tandem.verify;

import java.time.Duration;
import java.util.Locale;

/** Formats durations for reports. */
final class Units {

    private Units() {}

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    static String seconds(Duration duration) {
        return seconds(duration.toNanos());
    }

    static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.0f ms", nanos / 1e6);
    }
}
