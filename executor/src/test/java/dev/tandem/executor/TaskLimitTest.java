package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskLimitTest {

    @ParameterizedTest
    @CsvSource({
        "report, report, true",
        "report, reports, false",
        "report.*, report.daily, true",
        "report.*, report, false",
        "*.daily, report.daily, true",
        "*, '', true",
        "a*b*c, a-b-b-c, true",
        "a*b*c, a-c-b, false",
        "customer-7/*, customer-7/9, true"
    })
    void aStarStandsForAnyText(String pattern, String text, boolean matches) {
        assertThat(TaskPattern.matches(pattern, text)).isEqualTo(matches);
    }

    @Test
    void coversTasksOfItsTypesAndKeys() {
        TaskLimit limit = new TaskLimit("erp", 5, new TaskPattern(List.of("export", "report.*"), List.of("acme/*")));
        assertThat(limit.coversAll()).isFalse();
        assertThat(limit.covers("export", "acme/1")).isTrue();
        assertThat(limit.covers("report.daily", "acme/1")).isTrue();
        assertThat(limit.covers("import", "acme/1")).isFalse();
        assertThat(limit.covers("export", "other/1")).isFalse();
        assertThat(limit.covers("export", null)).isFalse();
        assertThat(limit.covers(null, "acme/1")).isFalse();
        assertThat(TaskLimit.ofQueue("orders", 1).coversAll()).isTrue();
    }

    @Test
    void refusesALimitOfNothing() {
        assertThatThrownBy(() -> new TaskLimit("erp", 0, TaskPattern.ALL))
                .hasMessageContaining("max-running of the limit 'erp' is 0");
    }
}
