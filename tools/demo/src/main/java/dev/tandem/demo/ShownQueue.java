package dev.tandem.demo;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A queue that a program of a person's own runs, and that {@code ./tandem up} shows.
 *
 * @param source {@code kafka} or {@code rabbit}
 * @param ordering {@code key} if its program orders a queue on RabbitMQ so; null: as usual for the source
 */
record ShownQueue(String source, String name, @Nullable String ordering) {

    private static final Pattern TEXT =
            Pattern.compile("(?:(kafka):)?([A-Za-z0-9._-]+)|(rabbit):([A-Za-z0-9._-]+)(?::(key))?");

    boolean isOnRabbit() {
        return source.equals("rabbit");
    }

    /** Reads {@code NAME}, {@code kafka:NAME}, {@code rabbit:NAME} or {@code rabbit:NAME:key}. */
    static final class Converter implements ITypeConverter<ShownQueue> {
        @Override
        public ShownQueue convert(String text) {
            Matcher parts = TEXT.matcher(text);
            if (!parts.matches()) {
                throw new TypeConversionException(String.format(
                        Locale.ROOT,
                        "'%s' is no queue: write NAME, kafka:NAME, rabbit:NAME or rabbit:NAME:key, with letters, digits,"
                                + " '.', '_' and '-'",
                        text));
            }
            return parts.group(3) == null
                    ? new ShownQueue("kafka", parts.group(2), null)
                    : new ShownQueue("rabbit", parts.group(4), parts.group(5));
        }
    }
}
