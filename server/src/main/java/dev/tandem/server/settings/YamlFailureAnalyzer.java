package dev.tandem.server.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** Reports where a settings file is not valid YAML, or has a key twice, if {@link BrokenFiles} have not found it. */
final class YamlFailureAnalyzer extends AbstractFailureAnalyzer<MarkedYAMLException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MarkedYAMLException cause) {
        return new FailureAnalysis(
                "  " + YamlMistake.describe("A settings file", cause),
                "Correct the file that --config names, or application.yml here, and start again.",
                cause);
    }
}
