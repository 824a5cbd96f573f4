package dev.tandem.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a {@link StartException} as a short message instead of a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(
                "Tandem cannot start:\n  " + String.join("\n  ", cause.problems()),
                action(cause) + ", or switch Tandem off with tandem.enabled=false.",
                cause);
    }

    private static String action(StartException cause) {
        if (!cause.isOfMethods()) {
            return "Do what is said above";
        }
        return cause.problems().size() == 1 ? "Correct the method above" : "Correct the methods above";
    }
}
