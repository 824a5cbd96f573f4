package dev.tandem.runtime.settings;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the settings, as a sentence for people.
 *
 * @param setting the setting's full name, the subject of the sentence
 * @param state what is wrong
 * @param remedy what is allowed or what to do, the end of the sentence
 * @param meant the full name of the setting that was probably meant by a name that does not exist; null if unknown
 */
record SettingProblem(
        String setting,
        State state,
        String remedy,
        @Nullable String meant) {

    /** The middle of the sentence. */
    sealed interface State {

        /** Returns words that begin with a verb. */
        String words();
    }

    /** The setting has no value. */
    record Missing() implements State {

        @Override
        public String words() {
            return "is not set";
        }
    }

    /** The setting has a wrong value. */
    record Value(String text) implements State {

        @Override
        public String words() {
            return "is " + (text.isEmpty() ? "empty" : "'" + text + "'");
        }
    }

    /** The setting has a wrong value that may be a secret. */
    record Hidden() implements State {

        @Override
        public String words() {
            return "is '" + Secrets.HIDDEN + "'";
        }
    }

    /** Something else is wrong. */
    record Other(String words) implements State {}

    /** A problem with something else than a value. @param words begin with a verb */
    static SettingProblem of(String setting, String words, String remedy) {
        return new SettingProblem(setting, new Other(words), remedy, null);
    }

    /**
     * A problem with a value. The value is hidden if it is secret.
     *
     * @param value null if the setting is not set
     */
    static SettingProblem ofValue(String setting, @Nullable String value, String remedy) {
        return new SettingProblem(setting, value == null ? new Missing() : state(setting, value), remedy, null);
    }

    /** A problem with a value that may be a secret, although the setting's name does not say so. */
    static SettingProblem ofHidden(String setting, String remedy) {
        return new SettingProblem(setting, new Hidden(), remedy, null);
    }

    private static State state(String setting, String value) {
        return Secrets.isSecretName(setting) ? new Hidden() : new Value(Secrets.masked(value));
    }

    /** Returns the same problem with the value as it was written. A hidden value stays hidden. */
    SettingProblem withValue(String written) {
        return state instanceof Hidden ? this : new SettingProblem(setting, state(setting, written), remedy, meant);
    }

    /** Returns the same problem with the setting that was probably meant. Its value is hidden if that setting is secret. */
    SettingProblem withGuess(@Nullable String name) {
        boolean secret = state instanceof Value && name != null && Secrets.isSecretName(name);
        return new SettingProblem(setting, secret ? new Hidden() : state, remedy, name);
    }

    boolean isOfMissing() {
        return state instanceof Missing;
    }

    @Override
    public String toString() {
        return setting + " " + state.words() + ": " + remedy;
    }
}
