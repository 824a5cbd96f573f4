package dev.tandem.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a {@link StartException} as a short message instead of a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(
                "Tandem cannot start:\n  " + String.join("\n  ", cause.problems()),
                "Correct the " + (cause.problems().size() == 1 ? "method" : "methods")
                        + " above, or switch Tandem off with tandem.enabled=false.",
                cause);
    }
}
