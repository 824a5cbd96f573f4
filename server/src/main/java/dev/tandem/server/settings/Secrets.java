package dev.tandem.server.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps passwords out of messages and logs. */
public final class Secrets {

    // Greedy up to the last @ of an address, because passwords are often written without percent-encoding.
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)([^/@:,]*)(:(?:(?!://).)*)?@");

    private Secrets() {}

    /** The same addresses with every password as {@code ***}. */
    public static String masked(String uri) {
        return USER_INFO
                .matcher(uri)
                .replaceAll(
                        found -> found.group(2) == null ? "***@" : Matcher.quoteReplacement(found.group(1)) + ":***@");
    }
}
