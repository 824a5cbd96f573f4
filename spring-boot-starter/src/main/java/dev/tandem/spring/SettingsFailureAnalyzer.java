package dev.tandem.spring;

import dev.tandem.runtime.settings.SettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a {@link SettingsException} as a short message instead of a stack trace. */
final class SettingsFailureAnalyzer extends AbstractFailureAnalyzer<SettingsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SettingsException cause) {
        return new FailureAnalysis(
                "Tandem's settings cannot be used:\n  " + String.join("\n  ", cause.problems()),
                "Correct them in application.yml, or wherever this application has its settings; tandem.enabled=false"
                        + " switches Tandem off.",
                cause);
    }
}
