package dev.tandem.runtime.settings;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the settings, as a sentence for people.
 *
 * @param setting the setting's full name, the subject of the sentence
 * @param state what is wrong, beginning with a verb: {@code is 'x'}, {@code is not set}
 * @param remedy what is allowed or what to do, the end of the sentence
 */
record SettingProblem(String setting, String state, String remedy) {

    private static final String MISSING = "is not set";

    /**
     * A problem with a value.
     *
     * @param value null if the setting is not set
     */
    static SettingProblem ofValue(String setting, @Nullable String value, String remedy) {
        if (value == null) {
            return new SettingProblem(setting, MISSING, remedy);
        }
        return new SettingProblem(setting, "is " + (value.isEmpty() ? "empty" : "'" + value + "'"), remedy);
    }

    /** Returns the same problem with the value as it was written. */
    SettingProblem withValue(String written) {
        return ofValue(setting, written, remedy);
    }

    boolean isOfMissing() {
        return state.equals(MISSING);
    }

    @Override
    public String toString() {
        return setting + " " + state + ": " + remedy;
    }
}
