package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Partitions of one process know how many tasks of higher priorities wait in the others. */
class PartitionPriorityTest {

    private final QueueContext context = new QueueContext(
            Source.Kind.LOG, QueuePolicy.ordered(4), CustodyBounds.DEFAULTS, CoreScript.SETTINGS, "executor");

    private static Lanes lanes(int... priorities) {
        Lanes lanes = new Lanes(10, null, key -> false);
        for (int i = 0; i < priorities.length; i++) {
            Map<String, String> headers = Map.of("tandem-priority", Integer.toString(priorities[i]));
            Task task = new Task(null, "orders", "ship", "k" + i, new byte[0], headers, 0, 0, 0, 0, null);
            lanes.enter(new TaskEntry(Position.of(1, i), "k" + i, i, i, i, task, null, 0, false, null));
        }
        return lanes;
    }

    @Test
    void onlyHigherPrioritiesOfOtherPartitionsCount() {
        Lanes one = lanes(0, 5, 5, 9);
        Lanes other = lanes(0, 0, 3);
        context.waits(one.ready(), 1);
        context.waits(other.ready(), 1);
        assertThat(context.countAbove(0)).isEqualTo(4);
        assertThat(context.countAbove(4)).isEqualTo(3);
        assertThat(context.countAbove(9)).isZero();

        context.waits(one.ready(), -1);
        assertThat(context.countAbove(0)).isEqualTo(1);
        assertThat(context.waitAbove(3)).isFalse();

        context.forgetWaits();
        assertThat(context.waitAbove(0)).isFalse();
    }
}
