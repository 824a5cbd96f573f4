package dev.tandem.api;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** Writes how a task is told from its duplicates as its headers, which executors read. */
final class Dedup {

    private static final String MODE = "tandem-dedup-mode";
    private static final String WINDOW = "tandem-dedup-window";

    private Dedup() {}

    static Map<String, String> mode(DedupMode value) {
        return Map.of(MODE, value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    static Map<String, String> window(Duration value) {
        return Map.of(WINDOW, Long.toString(value.toMillis()));
    }

    /** Whether a header is one that this class has written. */
    static boolean isOne(String name, String value) {
        return name.equals(MODE) && value.matches("first|keep-last|replace")
                || name.equals(WINDOW) && value.matches("[1-9][0-9]{3,10}");
    }
}
