package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaitReasonTest {

    private static final Task TASK =
            new Task(null, "orders", "pay", "k", new byte[] {1}, Map.of("color", "red"), 0, 0, 0, 0, null);

    @Test
    void itTravelsWithTheEnvelopeAndIsReplacedAndTakenAway() {
        Task waits = WaitReason.with(TASK, "the task q/a\nand more");
        Task stored = Envelope.decode("orders", new Envelope(waits, 0, 7, null).encode())
                .task();

        assertThat(WaitReason.of(stored)).startsWith("the task q/a").doesNotContain("\n");
        assertThat(WaitReason.of(WaitReason.with(stored, "a permit of erp"))).isEqualTo("a permit of erp");
        assertThat(WaitReason.without(stored).headers()).isEqualTo(TASK.headers());
        assertThat(WaitReason.without(TASK)).isSameAs(TASK);
        assertThat(PlatformHeaders.without(waits.headers())).isEqualTo(TASK.headers());
    }

    @Test
    void aLongOneIsCut() {
        assertThat(WaitReason.of(WaitReason.with(TASK, "x".repeat(1_000)))).hasSizeLessThan(WaitReason.MAX + 10);
    }

    @Test
    void noPublisherSetsIt() {
        TaskHeaders headers = new TaskHeaders("orders", Binding.KAFKA, TaskHeaders.DEFAULT_MAX_PAYLOAD);
        Task read = headers.read(
                        List.of(Field.of(WaitReason.HEADER, "rain"), Field.of("color", "red")),
                        new Origin(null, null, null, null, 0, 0),
                        new byte[] {1})
                .task();

        assertThat(read.headers()).containsOnly(Map.entry("color", "red"));
    }
}
