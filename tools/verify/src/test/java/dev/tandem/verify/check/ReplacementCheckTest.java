package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import org.junit.jupiter.api.Test;

/** The modes {@code keep-last} and {@code replace}: histories with one defect each. */
class ReplacementCheckTest {

    private static HistoryBuilder keepLast() {
        return new HistoryBuilder()
                .scheduled(0, "last-1-1", "last-1", 1_500)
                .scheduled(30, "last-1-2", "last-1", 1_530)
                .scheduled(60, "last-1-3", "last-1", 1_560);
    }

    @Test
    void reportsAnotherThanTheLastOneThatRuns() {
        assertKeeps(
                keepLast().ran(1_560, "p", "last-1-3", "last-1").closed(20_000).judge(), CheckerRule.REPLACEMENTS);
        assertViolates(
                keepLast()
                        .ran(1_500, "p", "last-1-1", "last-1")
                        .ran(1_560, "p", "last-1-3", "last-1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.REPLACEMENTS);
    }

    @Test
    void aTaskIsNotHeardOfBeforeThePartitionHasAnOwner() {
        assertKeeps(
                keepLast()
                        .acquired(1_400, "p", 7)
                        .ranUnder(1_500, "p", "last-1-1", "last-1", 7, 8)
                        .ranUnder(1_560, "p", "last-1-3", "last-1", 7, 9)
                        .closed(20_000)
                        .judge(),
                CheckerRule.REPLACEMENTS);
        assertViolates(
                keepLast()
                        .acquired(10, "p", 7)
                        .ranUnder(1_500, "p", "last-1-1", "last-1", 7, 8)
                        .ranUnder(1_560, "p", "last-1-3", "last-1", 7, 9)
                        .closed(20_000)
                        .judge(),
                CheckerRule.REPLACEMENTS);
    }

    @Test
    void reportsALastOneThatDoesNotRun() {
        assertViolates(
                keepLast().ran(1_500, "p", "last-1-1", "last-1").closed(20_000).judge(),
                CheckerRule.REPLACEMENTS,
                CheckerRule.NOTHING_LOST);
        assertDoesNotJudge(
                keepLast()
                        .ran(1_500, "p", "last-1-1", "last-1")
                        .ran(1_560, "p", "last-1-3", "last-1")
                        .writesLost(1_000, 1_200)
                        .closed(20_000)
                        .judge(),
                CheckerRule.REPLACEMENTS);
    }

    @Test
    void anArrivalDuringAFaultMayBeUnheard() {
        assertKeeps(
                keepLast()
                        .ran(1_500, "p", "last-1-1", "last-1")
                        .ran(1_560, "p", "last-1-3", "last-1")
                        .started(10, "q", "x", "x", 1)
                        .killed(20, "q")
                        .fault(20, 25, "q")
                        .closed(20_000)
                        .judge(),
                CheckerRule.REPLACEMENTS);
    }

    @Test
    void reportsOneThatDoesNotWaitForTheTimeOfTheOneThatItReplaces() {
        assertKeeps(
                replace().ran(2_000, "p", "repl-2-3", "repl-2").closed(20_000).judge(), CheckerRule.REPLACEMENTS);
        assertViolates(
                replace().ran(200, "p", "repl-2-3", "repl-2").closed(20_000).judge(), CheckerRule.REPLACEMENTS);
    }

    private static HistoryBuilder replace() {
        return new HistoryBuilder()
                .scheduled(0, "repl-2-1", "repl-2", 2_000)
                .published(30, "repl-2-2", "repl-2")
                .published(60, "repl-2-3", "repl-2");
    }
}
