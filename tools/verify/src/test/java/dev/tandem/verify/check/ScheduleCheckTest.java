package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Schedules: histories with one defect each. */
class ScheduleCheckTest {

    private static String id(long second) {
        return "sched-q@" + Instant.ofEpochSecond(1_795_000_000 + second);
    }

    /** The instants of these seconds fire, and the schedule is stopped at a time in seconds. */
    private static HistoryBuilder fired(long stopped, long... seconds) {
        HistoryBuilder history = new HistoryBuilder();
        for (long second : seconds) {
            history.ran(second * 1_000 + 10, "p", id(second), null);
        }
        return history.add(new Event.ScheduleStopped(stopped * 1_000_000_000L));
    }

    @Test
    void reportsAnInstantThatDoesNotFire() {
        assertKeeps(fired(5, 1, 2, 3, 4).closed(60_000).judge(), CheckerRule.SCHEDULES);
        assertViolates(fired(5, 1, 2, 4).closed(60_000).judge(), CheckerRule.SCHEDULES);
    }

    @Test
    void reportsAScheduleThatStopsByItself() {
        assertViolates(fired(40, 1, 2, 3).closed(60_000).judge(), CheckerRule.SCHEDULES);
        assertViolates(fired(40).closed(60_000).judge(), CheckerRule.SCHEDULES);
        assertKeeps(
                fired(40, 1, 2, 3)
                        .fault(38_000, 39_000, "p")
                        .started(37_900, "p", "x", "x", 1)
                        .closed(60_000)
                        .judge(),
                CheckerRule.SCHEDULES);
    }

    @Test
    void reportsAnInstantThatFiresTwice() {
        assertViolates(
                fired(5, 1, 2, 3, 4).ran(4_500, "q", id(2), null).closed(60_000).judge(), CheckerRule.DUPLICATES);
    }
}
