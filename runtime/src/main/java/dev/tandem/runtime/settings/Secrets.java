package dev.tandem.runtime.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps secrets out of messages and logs. */
public final class Secrets {

    /** The text that is shown instead of a value that may hold a secret. */
    static final String HIDDEN = "***";

    // Greedy up to the last @ of an address, because passwords are often written without percent-encoding.
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)([^/@:,]*)(:(?:(?!://).)*)?@");

    /** Names of settings whose values are secret, some of them mistyped. */
    private static final Pattern SECRET_SETTING = Pattern.compile(
            "\\.headers|pass?w|pwd|passphrase|secret|jaas|token|credential|keystore\\.key|signing-?keys|\\.environment\\.",
            Pattern.CASE_INSENSITIVE);

    private Secrets() {}

    /** Returns the same addresses with every password replaced by {@code ***}. */
    public static String masked(String uri) {
        return USER_INFO
                .matcher(uri)
                .replaceAll(
                        found -> found.group(2) == null ? "***@" : Matcher.quoteReplacement(found.group(1)) + ":***@");
    }

    /** Returns a setting's value as it may be shown. The name of a file with a secret may be. */
    static String shown(String setting, String value) {
        return isSecretName(setting) ? HIDDEN : masked(value);
    }

    /** Returns whether all values of a setting are secret. */
    static boolean isSecretName(String setting) {
        return SECRET_SETTING.matcher(setting).find() && !setting.endsWith("-file");
    }

    /** Returns whether a setting's value has a secret. */
    public static boolean isSecret(String setting, String value) {
        return !shown(setting, value).equals(value);
    }
}
