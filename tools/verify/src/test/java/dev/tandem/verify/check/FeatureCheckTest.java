package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deduplication keys, dependencies and limits: histories with one defect each. */
class FeatureCheckTest {

    private static final List<String> HELD = List.of("dep-7-1-1");

    @Test
    void onlyATaskWhosePrerequisiteIsForgottenOrMissingMayWaitToTheEnd() {
        assertViolates(awaited().closed(20_000, HELD, List.of()).judge(), CheckerRule.ALL_DONE);
        assertDoesNotJudge(
                awaited().writesLost(90, 400).closed(20_000, HELD, List.of()).judge(), CheckerRule.DEPENDENCIES);
        assertDoesNotJudge(
                new HistoryBuilder()
                        .published(0, "dep-7-1-1", "dep-7-1")
                        .closed(20_000, HELD, List.of())
                        .judge(),
                CheckerRule.DEPENDENCIES);
    }

    private static HistoryBuilder awaited() {
        return new HistoryBuilder()
                .published(0, "dep-7-1-1", "dep-7-1")
                .published(1, "pre-7-1", "pre-7")
                .ran(100, "p", "pre-7-1", "pre-7");
    }

    @Test
    void reportsTwoCopiesThatRan() {
        assertKeeps(copies().judge(), CheckerRule.DEDUPLICATION);
        assertViolates(copies().ran(400, "q", "dup-7-2-1", "dup-7-2").judge(), CheckerRule.DEDUPLICATION);
        // The store has forgotten that one has the key.
        assertKeeps(
                copies().writesLost(300, 350)
                        .ran(400, "q", "dup-7-2-1", "dup-7-2")
                        .judge(),
                CheckerRule.DEDUPLICATION);
    }

    private static HistoryBuilder copies() {
        return new HistoryBuilder()
                .published(0, "dup-7-1-1", "dup-7-1")
                .published(10, "dup-7-2-1", "dup-7-2")
                .ran(100, "p", "dup-7-1-1", "dup-7-1")
                .closed(20_000);
    }

    @Test
    void aCopyThatDiesFreesItsKey() {
        assertKeeps(died().ran(5_010, "q", "dup-6-4-1", "dup-6-4").judge(), CheckerRule.DEDUPLICATION);
        assertViolates(died().judge(), CheckerRule.DEDUPLICATION);
        // It was released before its task had ended.
        assertViolates(died().ran(105, "q", "dup-6-4-1", "dup-6-4").judge(), CheckerRule.DEDUPLICATION);
        // It may have come before the store was told, which did not answer.
        assertKeeps(
                died().fault(90, 4_000, "q")
                        .started(80, "q", "x", "x", 1)
                        .down(90, 4_000, Server.STORE)
                        .judge(),
                CheckerRule.DEDUPLICATION);
    }

    @Test
    void aCopyThatComesLaterMayHaveTheKeyOfOneThatHasDied() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "dup-6-1-1", "dup-6-1")
                        .published(5, "dup-6-3-1", "dup-6-3")
                        .started(100, "p", "dup-6-1-1", "dup-6-1", 1)
                        .finished(110, "p", "dup-6-1-1", Ending.DEAD)
                        .published(5_000, "dup-6-4-1", "dup-6-4")
                        .started(6_000, "q", "dup-6-3-1", "dup-6-3", 1)
                        .finished(6_010, "q", "dup-6-3-1", Ending.DEAD)
                        .closed(20_000, List.of(), List.of("dup-6-1-1", "dup-6-3-1"))
                        .judge(),
                CheckerRule.DEDUPLICATION);
    }

    private static HistoryBuilder died() {
        return new HistoryBuilder()
                .published(0, "dup-6-1-1", "dup-6-1")
                .started(100, "p", "dup-6-1-1", "dup-6-1", 1)
                .finished(110, "p", "dup-6-1-1", Ending.DEAD)
                .published(5_000, "dup-6-4-1", "dup-6-4")
                .closed(20_000, List.of(), List.of("dup-6-1-1"));
    }

    @Test
    void reportsATaskThatDoesNotTakePartInTheDeathOfTheOneThatItWaitsFor() {
        for (String group : List.of("3", "9")) {
            String id = "dep-" + group + "-1-1";
            assertKeeps(
                    awaitedDied(group)
                            .closed(20_000, List.of(), List.of("pre-" + group + "-1", id))
                            .judge(),
                    CheckerRule.DEPENDENCIES);
            assertViolates(
                    awaitedDied(group)
                            .ran(1_000, "p", id, "dep-" + group + "-1")
                            .closed(20_000, List.of(), List.of("pre-" + group + "-1", id))
                            .judge(),
                    CheckerRule.DEPENDENCIES);
            assertViolates(
                    awaitedDied(group)
                            .closed(20_000, List.of(), List.of("pre-" + group + "-1"))
                            .judge(),
                    CheckerRule.DEPENDENCIES,
                    CheckerRule.NOTHING_LOST,
                    CheckerRule.CUSTODY);
        }
    }

    @Test
    void aTaskMayGoOnWithoutTheOneThatItWaitsForOnlyWhenThatHasDied() {
        assertKeeps(
                awaitedDied("15")
                        .ran(1_000, "p", "dep-15-1-1", "dep-15-1")
                        .closed(20_000, List.of(), List.of("pre-15-1"))
                        .judge(),
                CheckerRule.DEPENDENCIES);
        assertViolates(
                awaitedDied("15")
                        .ran(80, "p", "dep-15-1-1", "dep-15-1")
                        .closed(20_000, List.of(), List.of("pre-15-1"))
                        .judge(),
                CheckerRule.DEPENDENCIES);
    }

    private static HistoryBuilder awaitedDied(String group) {
        return new HistoryBuilder()
                .published(0, "dep-" + group + "-1-1", "dep-" + group + "-1")
                .published(1, "pre-" + group + "-1", "pre-" + group)
                .started(100, "p", "pre-" + group + "-1", "pre-" + group, 1)
                .finished(110, "p", "pre-" + group + "-1", Ending.DEAD);
    }

    @Test
    void reportsATaskThatDidNotWait() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "dep-7-1-1", "dep-7-1")
                        .published(1, "pre-7-1", "pre-7")
                        .ran(100, "p", "pre-7-1", "pre-7")
                        .ran(1_000, "p", "dep-7-1-1", "dep-7-1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DEPENDENCIES);
        assertViolates(
                new HistoryBuilder()
                        .published(0, "dep-7-1-1", "dep-7-1")
                        .published(1, "pre-7-1", "pre-7")
                        .ran(100, "p", "dep-7-1-1", "dep-7-1")
                        .ran(1_000, "p", "pre-7-1", "pre-7")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DEPENDENCIES);
    }

    @Test
    void reportsMoreRunsThanALimitAllows() {
        assertKeeps(limited(5).judge(), CheckerRule.LIMITS);
        assertViolates(limited(6).judge(), CheckerRule.LIMITS);
        // Its permits are others' by now.
        assertKeeps(limited(6).cut(90, 5_000, "p1", Server.STORE).judge(), CheckerRule.LIMITS);
    }

    private static HistoryBuilder limited(int runs) {
        HistoryBuilder history = new HistoryBuilder();
        for (int i = 1; i <= runs; i++) {
            history.published(i, "lim-" + i + "-1", "lim-" + i);
        }
        for (int i = 1; i <= runs; i++) {
            history.ran(100, "p" + i, "lim-" + i + "-1", "lim-" + i);
        }
        return history.closed(20_000);
    }
}
