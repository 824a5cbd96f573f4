package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.RunningTask;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunningTaskTextTest {

    private static final TaskPlace PLACE = new TaskPlace(Partition.of("orders", 3), new Position("1:17"));

    private static RunningTask passed(RunningTask task) {
        String line = RunningTaskText.of(task);
        assertThat(line.lines()).hasSize(1);
        return RunningTaskText.read("orders", line).orElseThrow();
    }

    @Test
    void aTaskIsReadAsItWasWritten() {
        RunningTask runs = new RunningTask(PLACE, "order\t7\n", "ship it", "k\t", 2, 1_800_000_000_000L, null, null);
        assertThat(passed(runs)).isEqualTo(runs);
        RunningTask waits =
                new RunningTask(PLACE, "a", null, null, 1, 0, new WaitReason.Permits(List.of("erp", "b")), null);
        assertThat(passed(waits)).isEqualTo(waits);
        RunningTask pulled = new RunningTask(PLACE, "a", null, null, 1, 5, null, new RunningTask.Worker("", 7));
        assertThat(passed(pulled)).isEqualTo(pulled);
    }

    @Test
    void aLineOfAnotherVersionSaysNothing() {
        String line = RunningTaskText.of(new RunningTask(PLACE, "a", null, null, 1, 0, null, null));
        assertThat(RunningTaskText.read("orders", "r2" + line.substring(2))).isEmpty();
        assertThat(RunningTaskText.read("orders", "r1\tshort")).isEmpty();
    }

    @Test
    void anExecutorOfAnEarlierVersionTakesTheQuestionForAnId() {
        assertThat(HeldQuestion.read(RunningTaskText.QUESTION)).isEmpty();
    }
}
