package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRecord;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Subtasks that fan out themselves end with their own fan-outs and with their own runs, whatever is killed. */
class NestedFanOutSimulationTest {

    private static final int HISTORIES = Integer.getInteger("fan-out.histories", 400);

    static LongStream seeds() {
        return LongStream.range(0, HISTORIES);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aFanOutIsCompleteWhenAllThatIsWithinHasEnded(long seed) {
        NestedHistory history = new NestedHistory(seed);
        try {
            history.run();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }

        assertThat(history.isOver()).as("seed %s: all has ended", seed).isTrue();
        FanOutRecord root = history.view(history.root.own);
        if (root == null) {
            assertThat(history.fails).as("seed %s: it has not begun", seed).isTrue();
            return;
        }
        assertThat(history.begunFinals).as("seed %s: final tasks", seed).hasSize(1);
        if (!history.fails) {
            for (NestedTask each : history.tasks) {
                FanOutRecord its = history.view(each.own);
                if (its != null) {
                    assertThat(its.stop()).as("seed %s: %s", seed, its).isEqualTo(Stop.NO);
                    assertThat(its.total()).as("seed %s: %s", seed, its).isEqualTo(each.total);
                    assertThat(its.succeeded()).as("seed %s: %s", seed, its).isEqualTo(each.total);
                }
            }
        }
    }

    @Test
    void allThatMayHappenIsSimulated() {
        Set<Stop> stops = new HashSet<>();
        int copies = 0;
        int repeated = 0;
        int awaited = 0;
        for (long seed = 0; seed < HISTORIES; seed++) {
            NestedHistory history = new NestedHistory(seed);
            history.run();
            copies += history.copies;
            repeated += history.repeated;
            awaited += history.awaited;
            for (NestedTask each : history.tasks) {
                FanOutRecord its = history.view(each.own);
                if (its != null && its.plan().parent().isEmpty() == (each == history.root)) {
                    stops.add(its.stop());
                }
            }
        }
        assertThat(copies).as("copies of subtasks that fan out").isGreaterThan(HISTORIES / 20);
        assertThat(repeated).as("runs that go on with a fan-out").isGreaterThan(HISTORIES / 2);
        assertThat(awaited)
                .as("fan-outs that only await their masters, seen by a patrol")
                .isGreaterThan(HISTORIES / 20);
        assertThat(stops).contains(Stop.NO, Stop.FAILED, Stop.ABANDONED);
    }
}
