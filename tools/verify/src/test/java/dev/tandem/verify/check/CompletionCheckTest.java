package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.UNORDERED;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static dev.tandem.verify.check.JudgementAssertions.correctHistory;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Guarantee 1: histories with lost or unfinished tasks, and ones that only look like that. */
class CompletionCheckTest {

    @Test
    void reportsALostTask() {
        assertViolates(
                correctHistory().published(30, "c1", "c").closed(20_000).judge(),
                CheckerRule.NOTHING_LOST,
                CheckerRule.CUSTODY);
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .add(new Event.TrialClosed(1, 0))
                        .add(new Event.Audit(2, List.of(), List.of(), List.of()))
                        .judge(UNORDERED),
                CheckerRule.NOTHING_LOST);
    }

    @Test
    void acceptsADeathThatWasNotRecordedIfTheTaskEndedAsADuplicateLater() {
        HistoryBuilder died = new HistoryBuilder()
                .published(0, "dup-1-1-1", "dup-1-1")
                .started(100, "p", "dup-1-1-1", "dup-1-1", 1)
                .finished(110, "p", "dup-1-1-1", Ending.DEAD);
        assertThat(died.closed(20_000).judge().verdicts().get(CheckerRule.NOTHING_LOST))
                .isInstanceOf(Verdict.Broken.class);

        Event duplicate = new Event.TaskEventCame(
                15_000_000_000L, "0/1", "succeeded", "dup-1-1-1", "dup-1-1", "0", 1, "dup-1-4-1");
        assertThat(died.add(duplicate).judge().verdicts().get(CheckerRule.NOTHING_LOST))
                .isNotInstanceOf(Verdict.Broken.class);
    }

    @Test
    void acceptsTheLossOfATaskThatWasNotAcknowledged() {
        assertKeeps(
                correctHistory()
                        .add(new Event.Unacknowledged(50_000_000, "c1", "c"))
                        .closed(20_000)
                        .judge(),
                CheckerRule.NOTHING_LOST);
    }

    @Test
    void acceptsTasksHeldBehindADeadOneAndReportsOthersAsUnfinished() {
        HistoryBuilder history = correctHistory()
                .published(30, "c1", "c")
                .published(31, "c2", "c")
                .started(40, "q", "c1", "c", 1)
                .finished(50, "q", "c1", Ending.DEAD);
        Judgement judgement =
                history.closed(20_000, List.of("c2"), List.of("c1")).judge();
        assertKeeps(judgement, CheckerRule.NOTHING_LOST);
        assertThat(judgement.statistics().held()).isEqualTo(1);
        assertViolates(
                correctHistory()
                        .published(30, "c1", "c")
                        .closed(20_000, List.of("c1"), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void reportsATaskThatTheBrokerStillHasAsUnfinished() {
        assertViolates(
                correctHistory()
                        .published(30, "c1", "c")
                        .add(new Event.TrialClosed(20_000_000_000L, 1))
                        .audited(20_010, 4, List.of(), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void reportsACommitBeyondATaskThatTheStoreDoesNotHold() {
        assertViolates(
                correctHistory()
                        .audited(250, 2, List.of(), List.of())
                        .closed(20_000)
                        .judge(),
                CheckerRule.CUSTODY);
        assertKeeps(
                correctHistory()
                        .audited(250, 2, List.of("b1"), List.of())
                        .closed(20_000)
                        .judge(),
                CheckerRule.CUSTODY);
    }

    @Test
    void reportsUncommittedOffsetsAtTheEnd() {
        assertViolates(
                correctHistory()
                        .add(new Event.TrialClosed(20_000_000_000L, 2))
                        .audited(20_010, 2, List.of(), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void reportsAnExecutorThatDidNotLeave() {
        HistoryBuilder history = correctHistory()
                .add(new Event.LeaveRequested(13_000_000_000L, "q"))
                .killed(73_000, "q");
        assertViolates(history.closed(80_000).judge(), CheckerRule.ALL_DONE);
        assertKeeps(history.down(14_000, 70_000, Server.STORE).judge(), CheckerRule.ALL_DONE);
    }

    @Test
    void reportsACommittedOffsetThatGoesBack() {
        assertViolates(
                correctHistory()
                        .audited(250, 0, List.of("b1"), List.of())
                        .closed(20_000)
                        .judge(),
                CheckerRule.CUSTODY);
    }
}
