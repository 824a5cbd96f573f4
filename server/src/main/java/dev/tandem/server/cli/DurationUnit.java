package dev.tandem.server.cli;

import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Refuses a duration without a unit. Headers and the API take such a number as milliseconds, but a person who types one mostly
 * means seconds.
 */
final class DurationUnit implements ITypeConverter<String> {

    private static final Pattern ONLY_NUMBER = Pattern.compile("\\d+");
    private static final Pattern ZERO = Pattern.compile("0+");

    /** For picocli. */
    DurationUnit() {}

    @Override
    public String convert(String text) {
        if (ONLY_NUMBER.matcher(text).matches() && !ZERO.matcher(text).matches()) {
            throw new TypeConversionException(
                    "'" + text + "' has no unit: write " + text + "s for seconds, or " + text + "ms, m, h or d");
        }
        return text;
    }
}
