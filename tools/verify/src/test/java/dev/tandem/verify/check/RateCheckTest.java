package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.load.PacedTasks;
import dev.tandem.verify.record.Event.Ending;
import org.junit.jupiter.api.Test;

/** Rate limits: histories with one defect each. */
class RateCheckTest {

    private static final int TASKS = 15;

    /** All tasks of a bucket begin one after another, after the first ones, which are the burst. */
    private static HistoryBuilder begun(long apart, int buckets) {
        HistoryBuilder history = new HistoryBuilder();
        for (int i = 0; i < TASKS; i++) {
            history.published(i, id(i, buckets), "rate-" + i);
        }
        for (int i = 0; i < TASKS; i++) {
            history.ran(100 + Math.max(0, i - PacedTasks.BURST) * apart, "p" + i % 2, id(i, buckets), "rate-" + i);
        }
        return history;
    }

    private static String id(int number, int buckets) {
        return "rate-" + number % buckets + "." + number + "-1";
    }

    @Test
    void reportsTasksThatBeginFasterThanTheirRate() {
        assertKeeps(begun(1_000 / PacedTasks.RATE, 1).closed(20_000).judge(), CheckerRule.RATES);
        // Both executors keep to the rate, but not together.
        assertViolates(begun(1_000 / PacedTasks.RATE / 2, 1).closed(20_000).judge(), CheckerRule.RATES);
        assertKeeps(begun(1_000 / PacedTasks.RATE / 2, 2).closed(20_000).judge(), CheckerRule.RATES);
    }

    @Test
    void leavesOutWhatMayHaveBegunLate() {
        assertDoesNotJudge(
                begun(100, 1)
                        .stalled(50, 1_500, "p0")
                        .stalled(50, 1_500, "p1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.RATES);
        assertDoesNotJudge(
                begun(100, 1)
                        .frozen(50, 1_500, "p0")
                        .frozen(50, 1_500, "p1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.RATES);
        assertDoesNotJudge(
                begun(100, 1)
                        .killed(0, "r")
                        .started(0, "p0", "long-1-1", "long-1", 3)
                        .finished(90, "p0", "long-1-1", Ending.SUCCEEDED)
                        .started(0, "p1", "long-2-1", "long-2", 3)
                        .finished(1_000, "p1", "long-2-1", Ending.SUCCEEDED)
                        .closed(20_000)
                        .judge(),
                CheckerRule.RATES);
        assertKeeps(begun(100, 1).writesLost(300, 500).closed(20_000).judge(), CheckerRule.RATES);
        assertViolates(begun(100, 1).stalled(9_000, 9_500, "p0").closed(20_000).judge(), CheckerRule.RATES);
    }
}
