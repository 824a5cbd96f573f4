package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event.Server;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deduplication keys, dependencies and limits: histories with one defect each. */
class FeatureCheckTest {

    private static final List<String> HELD = List.of("dep-7-1-1");

    @Test
    void onlyATaskWhosePrerequisiteIsForgottenOrMissingMayWaitToTheEnd() {
        assertViolates(awaited().closed(20_000, HELD, List.of()).judge(), CheckerRule.ALL_DONE);
        assertViolates(
                awaited().writesLost(90, 400).closed(20_000, HELD, List.of()).judge());
        assertViolates(new HistoryBuilder()
                .published(0, "dep-7-1-1", "dep-7-1")
                .closed(20_000, HELD, List.of())
                .judge());
    }

    private static HistoryBuilder awaited() {
        return new HistoryBuilder()
                .published(0, "dep-7-1-1", "dep-7-1")
                .published(1, "pre-7-1", "pre-7")
                .ran(100, "p", "pre-7-1", "pre-7");
    }

    @Test
    void reportsTwoCopiesThatRan() {
        assertViolates(copies().judge());
        assertViolates(copies().ran(400, "q", "dup-7-2-1", "dup-7-2").judge(), CheckerRule.DEDUPLICATION);
        // The store has forgotten that one has the key.
        assertViolates(copies().writesLost(300, 350)
                .ran(400, "q", "dup-7-2-1", "dup-7-2")
                .judge());
    }

    private static HistoryBuilder copies() {
        return new HistoryBuilder()
                .published(0, "dup-7-1-1", "dup-7-1")
                .published(10, "dup-7-2-1", "dup-7-2")
                .ran(100, "p", "dup-7-1-1", "dup-7-1")
                .closed(20_000);
    }

    @Test
    void reportsATaskThatDidNotWait() {
        assertViolates(new HistoryBuilder()
                .published(0, "dep-7-1-1", "dep-7-1")
                .published(1, "pre-7-1", "pre-7")
                .ran(100, "p", "pre-7-1", "pre-7")
                .ran(1_000, "p", "dep-7-1-1", "dep-7-1")
                .closed(20_000)
                .judge());
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
        assertViolates(limited(5).judge());
        assertViolates(limited(6).judge(), CheckerRule.LIMITS);
        // Its permits are others' by now.
        assertViolates(limited(6).cut(90, 5_000, "p1", Server.STORE).judge());
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
