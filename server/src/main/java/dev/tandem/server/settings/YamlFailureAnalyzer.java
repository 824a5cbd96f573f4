package dev.tandem.server.settings;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reports where a settings file is not valid YAML, or has a key twice, if {@link BrokenFiles} have not found it: another
 * file may import it.
 */
final class YamlFailureAnalyzer implements FailureAnalyzer {

    private static final String LIBRARY = YAMLException.class.getPackageName().replaceFirst("[.]error$", ".");

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof YAMLException || isThrownBelowLibrary(cause)) {
                return new FailureAnalysis(
                        "  " + YamlMistake.describe("A settings file", cause),
                        "Correct the file that --config names, or application.yml here, and start again.",
                        cause);
            }
        }
        return null;
    }

    /** The library lets other exceptions pass, whose messages quote the text. */
    private static boolean isThrownBelowLibrary(Throwable failure) {
        return Arrays.stream(failure.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith(LIBRARY));
    }
}
