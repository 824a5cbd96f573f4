package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The priority of a task, and the tenant that it belongs to. */
class TaskPriorityTest {

    private static TaskHeaders.Read read(Field... fields) {
        TaskHeaders reader = new TaskHeaders("orders", Binding.KAFKA, 1_000);
        return reader.read(List.of(fields), new TaskHeaders.Origin(null, null, null, null, 0, 0), new byte[0]);
    }

    @Test
    void itIsReadFromTheHeaderAndKeptAsOneDigit() {
        Task task = read(Field.of("tandem-priority", " 7 ")).task();

        assertThat(TaskPriority.of(task)).isEqualTo(7);
        assertThat(task.headers()).isEqualTo(Map.of("tandem-priority", "7"));
        assertThat(read(Field.of("tandem-priority", "0")).task().headers()).isEmpty();
        assertThat(TaskPriority.of(read().task())).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "-1", "high", "1.5"})
    void whatIsNoPrioritySaysWhatToWrite(String value) {
        assertThat(read(Field.of("tandem-priority", value)).unreadable())
                .contains("tandem-priority", value, "from 0 to 9");
    }

    @Test
    void theTenantIsInAHeaderOrInTheKey() {
        Task task = new Task(null, "q", "t", "acme/7", new byte[0], Map.of("tenant", "big"), 0, 0, 0, 0, null);
        Task bare = new Task(null, "q", "t", "acme", new byte[0], Map.of(), 0, 0, 0, 0, null);
        FairPolicy byHeader = new FairPolicy("tenant", null, Map.of("big", 3));
        FairPolicy byKey = new FairPolicy(null, "/", Map.of());

        assertThat(byHeader.tenantOf(task)).isEqualTo("big");
        assertThat(byHeader.tenantOf(bare)).isEqualTo(FairPolicy.NO_TENANT);
        assertThat(byHeader.weightOf("big")).isEqualTo(3);
        assertThat(byKey.tenantOf(task)).isEqualTo("acme");
        assertThat(byKey.tenantOf(bare)).isEqualTo(FairPolicy.NO_TENANT);
        assertThat(byKey.weightOf("acme")).isEqualTo(1);
    }
}
