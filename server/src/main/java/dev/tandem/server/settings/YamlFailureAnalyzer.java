package dev.tandem.server.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reports where a settings file is not valid YAML, or has a key twice. Does not quote the file, for it may hold
 * secrets.
 */
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
