package dev.tandem.runtime.settings;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects problems, and holds the checks that several settings share. */
final class SettingProblems {

    private final List<SettingProblem> all = new ArrayList<>();

    List<SettingProblem> all() {
        return all;
    }

    /** @param value null if the setting is not set */
    void add(String setting, @Nullable String value, String remedy) {
        all.add(SettingProblem.ofValue(setting, value, remedy));
    }

    /** Adds a problem with a value that may be a secret. */
    void addHidden(String setting, String remedy) {
        all.add(SettingProblem.ofHidden(setting, remedy));
    }

    void checkRange(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            add(setting, Long.toString(value), "it must be " + min + " to " + max);
        }
    }

    void checkRange(String setting, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            add(
                    setting,
                    DurationText.of(value),
                    "it must be " + DurationText.of(min) + " to " + DurationText.of(max)
                            + " (a number without a unit means milliseconds)");
        }
    }

    /** Checks the address of a broker. */
    void checkAddress(String setting, String value, Set<String> schemes) {
        String form = "it must be an address such as "
                + schemes.stream().sorted().findFirst().orElseThrow() + "://host:port";
        try {
            URI uri = new URI(value);
            if (uri.getScheme() == null || !schemes.contains(uri.getScheme()) || uri.getHost() == null) {
                add(setting, value, form);
            }
        } catch (URISyntaxException e) {
            add(setting, value, form + "; characters such as @ / : % in a user or password must be percent-encoded");
        }
    }

    /** Checks the URL of an HTTP service. */
    void checkUrl(String setting, String value) {
        try {
            URI uri = new URI(value);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (!http || uri.getHost() == null) {
                add(setting, value, "it must begin with http:// or https:// and name a host");
            } else if (uri.getUserInfo() != null) {
                add(
                        setting,
                        value,
                        "it must not contain a user and password: send an Authorization header with http.headers");
            } else if (uri.getFragment() != null) {
                add(setting, value, "it must not have a fragment (the part after #)");
            }
        } catch (URISyntaxException e) {
            add(setting, value, "it is not a URL: " + e.getReason());
        }
    }

    /** Checks the length of a text that AMQP limits. */
    void checkBytes(String setting, String text, int max) {
        if (text.isEmpty() || utf8Length(text) > max) {
            add(setting, text, "it must be 1 to " + max + " bytes");
        }
    }

    /** Returns the name of a section whose last part users choose, in brackets where Spring Boot needs them. */
    static String section(String above, String chosen) {
        return chosen.matches("[A-Za-z0-9-]+") ? above + "." + chosen : above + "[" + chosen + "]";
    }

    static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
