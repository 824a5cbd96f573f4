package dev.tandem.server.settings;

import java.util.List;

/** The settings can't be used. The message holds one line for each thing that is wrong. */
public final class SettingsException extends RuntimeException {

    private final List<String> problems;

    SettingsException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** Each names a setting, its value and what is allowed. */
    public List<String> problems() {
        return problems;
    }
}
