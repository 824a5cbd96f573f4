package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import org.junit.jupiter.api.Test;

/** Checkpoints: histories with one defect each. */
class CheckpointCheckTest {

    private static final String ID = "step-5-1";

    /** A run saves three checkpoints and is cut off; the next one gets this one. */
    private static HistoryBuilder continued(int value) {
        return new HistoryBuilder()
                .published(0, ID, "step-5")
                .started(100, "p", ID, "step-5", 1, 101, 10_100)
                .add(read(110, "p", 101, 0))
                .add(saved(150, "p", 101, 1))
                .add(saved(200, "p", 101, 2))
                .add(saved(250, "p", 101, 3))
                .killed(300, "p")
                .fault(300, 310, "p")
                .started(12_000, "q", ID, "step-5", 2, 201, 22_000)
                .add(read(12_010, "q", 201, value))
                .finished(12_100, "q", ID, Ending.SUCCEEDED);
    }

    private static Event read(long millis, String process, long token, int value) {
        long at = millis * 1_000_000;
        return new Event.CheckpointRead(at, at - 1_000_000, process, ID, token, value);
    }

    private static Event saved(long millis, String process, long token, int value) {
        return new Event.CheckpointSaved(millis * 1_000_000, process, ID, token, value);
    }

    @Test
    void reportsARunThatGetsAnOldCheckpointOrOneThatNobodySaved() {
        assertKeeps(continued(3).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
        // The next one was being saved when the process died.
        assertKeeps(continued(4).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
        assertViolates(continued(2).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
        assertViolates(continued(0).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
        assertViolates(continued(5).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
    }

    @Test
    void aStoreThatForgetsMayForgetACheckpoint() {
        assertDoesNotJudge(continued(2).writesLost(220, 1_000).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
        assertViolates(continued(2).writesLost(13_000, 13_500).closed(20_000).judge(), CheckerRule.CHECKPOINTS);
    }
}
