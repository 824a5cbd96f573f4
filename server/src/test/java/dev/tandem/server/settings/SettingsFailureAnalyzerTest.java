package dev.tandem.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

class SettingsFailureAnalyzerTest {

    @Test
    void problemsAreReportedWithWhatToDo() {
        SettingsException thrown =
                SettingsException.of("tandem.queues.orders.concurrency", "0", "it must be 1 to 10000");

        FailureAnalysis analysis = new SettingsFailureAnalyzer().analyze(thrown);

        assertThat(analysis.getDescription())
                .isEqualTo("  tandem.queues.orders.concurrency is '0': it must be 1 to 10000");
        assertThat(analysis.getAction()).startsWith("Correct the setting above");
    }
}
