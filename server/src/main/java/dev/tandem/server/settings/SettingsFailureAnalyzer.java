package dev.tandem.server.settings;

import dev.tandem.runtime.settings.SettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a {@link SettingsException} as a short message instead of a stack trace. */
final class SettingsFailureAnalyzer extends AbstractFailureAnalyzer<SettingsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SettingsException cause) {
        int count = cause.problems().size();
        return new FailureAnalysis(
                "  " + String.join("\n  ", cause.problems()),
                "Correct the " + (count == 1 ? "setting" : count + " settings")
                        + " above and start again. All settings are described in docs/configuration.md.",
                cause);
    }
}
