package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Guarantee 6: waits and commit lag while a key is stuck. */
class ProgressCheckTest {

    private static HistoryBuilder steadyLoad(long slowFrom, long wait) {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "stuck", "s")
                .started(5, "p", "stuck", "s", 1)
                .finished(6, "p", "stuck", Ending.FAILED);
        for (int i = 0; i < 300; i++) {
            long at = 10 + i * 100L;
            long start = at + 10 + (i >= slowFrom ? wait : 0);
            history.published(at, "t" + i, "k" + i).ran(start, "p", "t" + i, "k" + i);
        }
        return history.started(40_000, "p", "stuck", "s", 2).finished(40_005, "p", "stuck", Ending.SUCCEEDED);
    }

    @Test
    void reportsLongWaitsOfOtherKeysWhileOneIsStuck() {
        assertKeeps(steadyLoad(300, 0).closed(50_000).judge(), CheckerRule.INDEPENDENCE);
        assertViolates(steadyLoad(290, 1_500).closed(50_000).judge(), CheckerRule.INDEPENDENCE);
    }

    @Test
    void acceptsLongWaitsDuringAFault() {
        assertKeeps(steadyLoad(290, 1_500).fault(29_000, 29_500).closed(50_000).judge(), CheckerRule.INDEPENDENCE);
    }

    @Test
    void ignoresWaitsWhileAProcessWasStalled() {
        assertKeeps(
                steadyLoad(290, 1_500)
                        .add(new Event.ProcessStalled(31_000_000_000L, "p", 29_000_000_000L))
                        .closed(50_000)
                        .judge(),
                CheckerRule.INDEPENDENCE);
    }

    @Test
    void reportsACommittedOffsetHeldBackByAStuckKey() {
        assertViolates(
                steadyLoad(300, 0)
                        .audited(25_000, 0, List.of("stuck"), List.of())
                        .closed(50_000)
                        .judge(),
                CheckerRule.COMMIT_LAG);
        assertKeeps(
                steadyLoad(300, 0)
                        .audited(25_000, 240, List.of("stuck"), List.of())
                        .closed(50_000)
                        .judge(),
                CheckerRule.COMMIT_LAG);
    }
}
