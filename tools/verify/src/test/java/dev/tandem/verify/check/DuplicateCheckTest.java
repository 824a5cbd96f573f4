package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import org.junit.jupiter.api.Test;

/** Guarantee 5: duplicates and attempts with and without a fault that explains them. */
class DuplicateCheckTest {

    @Test
    void reportsADuplicateWithoutAFault() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .ran(12_000, "q", "a1", "a")
                .closed(20_000);
        assertViolates(history.judge(), CheckerRule.DUPLICATES);
        assertThat(history.judge().statistics().duplicates()).containsKey("unexplained");
    }

    @Test
    void acceptsOnlyFaultsBeforeTheOutcomeCanHaveBeenRecorded() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .killed(9_000, "p")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        // While the store is down, outcomes wait in memory.
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .down(50, 8_000, Server.STORE)
                        .killed(9_000, "p")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .cut(90, 9_000, "p", Server.STORE)
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .writesLost(90, 1_000)
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
    }

    @Test
    void doesNotAcceptALeavingExecutorOrALostBrokerAsExplanation() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .left(150, "p")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .cut(90, 9_000, "p", Server.BROKER)
                        .ran(100, "p", "a1", "a")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
    }

    @Test
    void reportsARepeatedRunWithoutAFault() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .started(12_000, "q", "a1", "a", 2)
                        .finished(12_010, "q", "a1", Ending.SUCCEEDED)
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
    }

    @Test
    void reportsAnAttemptSpentWithoutARun() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 2)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .closed(2_000);
        assertViolates(history.judge(), CheckerRule.ATTEMPTS);
        // The attempt was claimed by a process that died before the run began.
        assertKeeps(history.killed(90, "q").judge(), CheckerRule.DUPLICATES);
    }
}
