package dev.tandem.server.settings;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the settings, for people.
 *
 * @param setting its full name
 * @param value what it is set to; null if it is not set. Where the setting can be found in a source, the loader shows that
 *     instead, without secrets
 * @param remedy what is allowed, or what to do, as the end of the sentence
 */
record SettingProblem(String setting, @Nullable String value, String remedy) {

    @Override
    public String toString() {
        return value == null
                ? setting + " is not set: " + remedy
                : setting + " is " + (value.isEmpty() ? "empty" : "'" + value + "'") + ": " + remedy;
    }
}
