package dev.tandem.demo;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A queue that a program of a person's own runs, and that {@code ./tandem up} shows.
 *
 * @param source {@code kafka} or {@code rabbit}
 */
record ShownQueue(String source, String name) {

    private static final Pattern TEXT = Pattern.compile("(?:(kafka|rabbit):)?([A-Za-z0-9._-]+)");

    boolean isOnRabbit() {
        return source.equals("rabbit");
    }

    /** Reads {@code NAME}, {@code kafka:NAME} or {@code rabbit:NAME}. */
    static final class Converter implements ITypeConverter<ShownQueue> {
        @Override
        public ShownQueue convert(String text) {
            Matcher parts = TEXT.matcher(text);
            if (!parts.matches()) {
                throw new TypeConversionException(String.format(
                        Locale.ROOT,
                        "'%s' is no queue: write NAME, kafka:NAME or rabbit:NAME, with letters, digits, '.', '_' and '-'",
                        text));
            }
            return new ShownQueue(parts.group(1) == null ? "kafka" : parts.group(1), parts.group(2));
        }
    }
}
