package dev.tandem.server.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** A settings file that is no YAML, or has a key twice: where and why, without the lines themselves. */
final class YamlFailureAnalyzer extends AbstractFailureAnalyzer<MarkedYAMLException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MarkedYAMLException cause) {
        Mark mark = cause.getProblemMark();
        String place = mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
        return new FailureAnalysis(
                "  A settings file can't be read" + place + ": " + cause.getProblem(),
                "Correct the file that --config names, or application.yml here, and start again.",
                cause);
    }
}
