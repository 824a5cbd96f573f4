package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.load.FanTasks;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import org.junit.jupiter.api.Test;

/** Fan-outs: histories with one defect each. */
class FanOutCheckTest {

    private static final long FINAL = 2_000;

    /** All subtasks of a master have ended, but for one. */
    private static HistoryBuilder fannedOut(String except) {
        HistoryBuilder history =
                new HistoryBuilder().published(0, "fan-7-1", "fan-7").ran(100, "p", "fan-7-1", "fan-7");
        for (String id : FanTasks.subtasks("7")) {
            if (!id.equals(except)) {
                history.started(200, "p", id, null, 1)
                        .finished(210, "p", id, FanTasks.dies(id) ? Ending.DEAD : Ending.SUCCEEDED);
            }
        }
        return history;
    }

    private static Event result(long succeeded, long failed) {
        return new Event.FanOutResulted(
                FINAL * 1_000_000, "p", "fin-7", "COMPLETED", FanTasks.SUBTASKS, succeeded, failed, 0);
    }

    @Test
    void reportsAFinalTaskThatDoesNotComeOnce() {
        assertKeeps(fannedOut("").ran(FINAL, "p", "fin-7", null).closed(20_000).judge(), CheckerRule.FAN_OUTS);
        assertViolates(fannedOut("").closed(20_000).judge(), CheckerRule.FAN_OUTS);
        assertViolates(
                fannedOut("")
                        .ran(FINAL, "p", "fin-7", null)
                        .ran(FINAL + 50, "p", "fin-7-2", null)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
    }

    @Test
    void reportsASubtaskThatEndsLateOrNotAsItWasTold() {
        for (String id : new String[] {"sub-7.0", "sub-7.5", "sub-7.5.2"}) {
            assertViolates(
                    fannedOut(id)
                            .ran(FINAL, "p", "fin-7", null)
                            .ran(FINAL + 50, "p", id, null)
                            .closed(20_000)
                            .judge(),
                    CheckerRule.FAN_OUTS);
        }
        assertViolates(
                fannedOut("sub-7.3")
                        .ran(300, "p", "sub-7.3", null)
                        .ran(FINAL, "p", "fin-7", null)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
    }

    @Test
    void judgesAFanOutAlsoIfTheStoreHasForgottenSomething() {
        Event wrong = result(1, 0);
        assertViolates(
                fannedOut("").writesLost(150, 400).add(wrong).closed(20_000).judge(), CheckerRule.FAN_OUTS);
        assertViolates(fannedOut("").writesLost(150, 400).closed(20_000).judge(), CheckerRule.FAN_OUTS);
        assertViolates(
                fannedOut("")
                        .writesLost(150, 400)
                        .ran(FINAL, "p", "fin-7", null)
                        .ran(FINAL + 50, "p", "fin-7-2", null)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
    }

    @Test
    void judgesNoFanOutOfWhichNobodyTellsAgainWhatTheStoreHasForgotten() {
        Event wrong = result(1, 0);
        assertDoesNotJudge(
                fannedOut("")
                        .writesLost(150, 400)
                        .killed(500, "p")
                        .add(wrong)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
        assertViolates(
                fannedOut("")
                        .killed(120, "q")
                        .writesLost(150, 400)
                        .add(wrong)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
        assertDoesNotJudge(
                fannedOut("").writesLost(50, 4_000).add(wrong).closed(20_000).judge(), CheckerRule.FAN_OUTS);
        assertViolates(
                fannedOut("")
                        .writesLost(50, 90)
                        .killed(95, "p")
                        .add(wrong)
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
    }

    @Test
    void reportsAWrongCount() {
        long failed = FanTasks.dying("7");
        long succeeded = FanTasks.SUBTASKS - failed;
        assertKeeps(
                fannedOut("")
                        .ran(FINAL, "p", "fin-7", null)
                        .add(result(succeeded, failed))
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
        assertViolates(
                fannedOut("")
                        .ran(FINAL, "p", "fin-7", null)
                        .add(result(succeeded - 1, failed))
                        .closed(20_000)
                        .judge(),
                CheckerRule.FAN_OUTS);
    }
}
