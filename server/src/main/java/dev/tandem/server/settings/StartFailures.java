package dev.tandem.server.settings;

import dev.tandem.runtime.settings.SettingsException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Short messages for what is wrong with the settings. They have neither a stack trace nor the banner of Spring Boot's reports. */
public final class StartFailures {

    private static final List<FailureAnalyzer> ANALYZERS =
            List.of(new SettingsFailureAnalyzer(), new YamlFailureAnalyzer(), new PortFailureAnalyzer());

    private StartFailures() {}

    /** Returns why a server did not start, and what to do; null if that is none of these. */
    public static @Nullable String report(Throwable failure) {
        FailureAnalysis found = analyse(failure);
        return found == null ? null : found.getDescription() + "\n" + found.getAction();
    }

    /** Returns each problem of settings that were only checked, on a line of its own; null if the failure is none of these. */
    public static @Nullable String problems(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SettingsException wrong) {
                return String.join("\n", wrong.problems());
            }
        }
        FailureAnalysis found = analyse(failure);
        return found == null ? null : found.getDescription().strip();
    }

    static @Nullable FailureAnalysis analyse(Throwable failure) {
        return ANALYZERS.stream()
                .map(each -> each.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
