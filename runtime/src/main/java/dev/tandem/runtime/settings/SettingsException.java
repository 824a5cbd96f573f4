package dev.tandem.runtime.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown when the settings cannot be used. The message has one line for each problem. */
public final class SettingsException extends RuntimeException {

    private final List<String> problems;

    SettingsException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** Returns the exception for one setting. */
    public static SettingsException of(String setting, @Nullable String value, String remedy) {
        return new SettingsException(
                List.of(SettingProblem.ofValue(setting, value, remedy).toString()));
    }

    /** The problems. Each names a setting, its value and what is allowed. */
    public List<String> problems() {
        return problems;
    }
}
