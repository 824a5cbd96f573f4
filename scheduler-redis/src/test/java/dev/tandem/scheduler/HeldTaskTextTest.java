package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldTask;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeldTaskTextTest {

    private static final TaskPlace PLACE = new TaskPlace(Partition.of("orders", 3), new Position("1:17"));

    private static HeldTask task(boolean running, @Nullable WaitReason waitsFor) {
        Task task = new Task(
                "order\t7\n", "orders", "ship", "k", new byte[0], Map.of("color", "red"), 1, 2, 3, 4, "order-7");
        return new HeldTask(PLACE, "web-1-0a1b", new Envelope(task, 2, 0, null), running, waitsFor);
    }

    private static HeldTask passed(HeldTask task) {
        String line = HeldTaskText.of(task);
        assertThat(line.lines()).hasSize(1);
        return HeldTaskText.read("orders", line).orElseThrow();
    }

    @Test
    void aTaskIsReadAsItWasWritten() {
        HeldTask runs = passed(task(true, null));
        assertThat(runs.running()).isTrue();
        assertThat(runs.waitsFor()).isNull();
        assertThat(runs.place()).isEqualTo(PLACE);
        assertThat(runs.executor()).isEqualTo("web-1-0a1b");
        assertThat(runs.envelope().attempts()).isEqualTo(2);
        assertThat(runs.envelope().task().id()).isEqualTo("order\t7\n");
        assertThat(runs.envelope().task().headers()).isEqualTo(Map.of("color", "red"));

        HeldTask waits = passed(task(false, new WaitReason.Other("rain\tand\nsnow")));
        assertThat(waits.running()).isFalse();
        assertThat(waits.waitsFor().text()).startsWith("rain").doesNotContain("\n");
    }

    @Test
    void aLineOfAnotherVersionSaysNothing() {
        String line = HeldTaskText.of(task(true, null));
        assertThat(HeldTaskText.read("orders", "2" + line.substring(1))).isEmpty();
        assertThat(HeldTaskText.read("orders", "1\tshort")).isEmpty();
    }
}
