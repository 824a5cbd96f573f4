package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event.Ending;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Guarantee 2: histories whose order is broken, and ones whose order only looks broken. */
class OrderCheckTest {

    @Test
    void reportsAStartBeforeTheEarlierTaskHasEnded() {
        // The first task waits for its second attempt and blocks its key.
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .published(1, "a2", "a")
                        .started(100, "p", "a1", "a", 1)
                        .finished(110, "p", "a1", Ending.FAILED)
                        .ran(120, "p", "a2", "a")
                        .started(1_100, "p", "a1", "a", 2)
                        .finished(1_110, "p", "a1", Ending.SUCCEEDED)
                        .closed(2_000)
                        .judge(),
                CheckerRule.ORDER);
    }

    @Test
    void reportsFirstStartsThatAreNotInTheBrokersOrder() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .published(1, "a2", "a")
                        .ran(100, "p", "a2", "a")
                        .ran(200, "p", "a1", "a")
                        .closed(2_000)
                        .judge(),
                CheckerRule.ORDER);
    }

    @Test
    void ignoresTheBrokersOrderForScheduledTasks() {
        assertKeeps(
                new HistoryBuilder()
                        .scheduled(0, "a1", "a", 1_000)
                        .published(1, "a2", "a")
                        .ran(100, "p", "a2", "a")
                        .ran(1_001, "p", "a1", "a")
                        .closed(2_000)
                        .judge(),
                CheckerRule.ORDER);
    }

    @Test
    void acceptsThatUnrecordedTasksOfAKilledProcessRunAgainInOrder() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .ran(100, "p", "a1", "a")
                .ran(120, "p", "a2", "a")
                .killed(135, "p")
                .started(12_000, "q", "a1", "a", 2)
                .finished(12_010, "q", "a1", Ending.SUCCEEDED)
                .started(12_020, "q", "a2", "a", 1)
                .finished(12_030, "q", "a2", Ending.SUCCEEDED)
                .closed(13_000)
                .judge();
        assertKeeps(judgement, CheckerRule.ORDER);
        assertThat(judgement.statistics().duplicates()).containsOnly(Map.entry("killed", 2L));
    }

    private static HistoryBuilder killedDuringTheLaterTask(boolean scheduled) {
        HistoryBuilder history = new HistoryBuilder();
        (scheduled ? history.scheduled(0, "a1", "a", 2_000) : history.published(0, "a1", "a"))
                .published(1, "a2", "a")
                .started(100, "p", "a2", "a", 1)
                .killed(110, "p");
        return history;
    }

    private static HistoryBuilder completedInBrokerOrder(HistoryBuilder history) {
        return history.started(12_000, "q", "a1", "a", 1)
                .finished(12_010, "q", "a1", Ending.SUCCEEDED)
                .started(12_020, "q", "a2", "a", 1)
                .finished(12_030, "q", "a2", Ending.SUCCEEDED)
                .closed(13_000);
    }

    @Test
    void acceptsAnotherOrderOnlyIfTheStoreForgotTheStartAndTheProcessIsDead() {
        assertViolates(completedInBrokerOrder(killedDuringTheLaterTask(true)).judge(), CheckerRule.ORDER);
        assertKeeps(
                completedInBrokerOrder(killedDuringTheLaterTask(true).writesLost(50, 1_000))
                        .judge(),
                CheckerRule.ORDER);
        assertThat(completedInBrokerOrder(killedDuringTheLaterTask(true).writesLost(105, 1_000))
                        .judge()
                        .findings())
                .as("its claim was not among what was forgotten")
                .isNotEmpty();
        assertThat(completedInBrokerOrder(killedDuringTheLaterTask(false).writesLost(50, 1_000))
                        .judge()
                        .findings())
                .as("both were due when they were published")
                .isNotEmpty();
    }
}
