package dev.tandem.runtime.settings;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the settings, as a sentence for people.
 *
 * @param setting the setting's full name, the subject of the sentence
 * @param state what is wrong, beginning with a verb: {@code is 'x'}, {@code is not set}
 * @param remedy what is allowed or what to do, the end of the sentence
 * @param meant the full name of the setting that was probably meant by a name that does not exist; null if unknown
 */
record SettingProblem(
        String setting,
        String state,
        String remedy,
        @Nullable String meant) {

    private static final String MISSING = "is not set";

    /** The value that is shown instead of one that may hold a secret. */
    private static final String HIDDEN = "***";

    SettingProblem(String setting, String state, String remedy) {
        this(setting, state, remedy, null);
    }

    /**
     * A problem with a value.
     *
     * @param value null if the setting is not set
     */
    static SettingProblem ofValue(String setting, @Nullable String value, String remedy) {
        return new SettingProblem(setting, value == null ? MISSING : state(value), remedy);
    }

    private static String state(String value) {
        return "is " + (value.isEmpty() ? "empty" : "'" + value + "'");
    }

    /** Returns the same problem with the value as it was written. A hidden value stays hidden. */
    SettingProblem withValue(String written) {
        return state.equals(state(HIDDEN)) ? this : ofValue(setting, written, remedy);
    }

    /** Returns the same problem with the setting that was probably meant. */
    SettingProblem meaning(@Nullable String name) {
        return new SettingProblem(setting, state, remedy, name);
    }

    boolean isOfMissing() {
        return state.equals(MISSING);
    }

    @Override
    public String toString() {
        return setting + " " + state + ": " + remedy;
    }
}
