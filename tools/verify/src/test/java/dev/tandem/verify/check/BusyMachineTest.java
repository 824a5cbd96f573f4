package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static dev.tandem.verify.check.JudgementAssertions.assertViolatesNothing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What only a machine that is too busy brings about is not judged. Each history has a twin in which nothing stood still, or something
 * else did, and which breaks the rule.
 */
class BusyMachineTest {

    /** The outcome of a run is not recorded, and its task runs again when its claim has lapsed. */
    private static HistoryBuilder ranAgain() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .ran(12_000, "q", "a1", "a")
                .closed(20_000);
    }

    @Test
    void aClaimMayLapseWhoseProcessStoodStill() {
        Judgement judgement = ranAgain().stalled(3_000, 6_000, "p").judge();
        assertKeeps(judgement, CheckerRule.DUPLICATES);
        assertThat(judgement.statistics().duplicates()).containsEntry("held up by the machine", 1L);
        assertViolates(ranAgain().stalled(3_000, 6_000, "r").judge(), CheckerRule.DUPLICATES);
        assertViolates(ranAgain().stalled(3_000, 3_500, "p").judge(), CheckerRule.DUPLICATES);
        assertViolates(ranAgain().stalled(14_000, 18_000, "p").judge(), CheckerRule.DUPLICATES);
    }

    @Test
    void soMayOneWhoseStoreStoodStill() {
        Event stalled = new Event.ServerStalled(6_000_000_000L, Server.STORE, 3_000_000_000L);
        assertKeeps(ranAgain().add(stalled).judge(), CheckerRule.DUPLICATES);
        // A store that was down is none that stood still.
        assertViolates(ranAgain().add(stalled).down(4_000, 5_000, Server.STORE).judge(), CheckerRule.DUPLICATES);
    }

    @Test
    void aKillExplainsADuplicateUntilTheOutcomeCanHaveBeenRecorded() {
        HistoryBuilder killed = ranAgain().killed(4_500, "p");
        assertViolates(killed.judge(), CheckerRule.DUPLICATES);
        assertKeeps(ranAgain().killed(4_500, "p").stalled(1_000, 3_000, "p").judge(), CheckerRule.DUPLICATES);
    }

    private static HistoryBuilder unfinished() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .ran(100, "p", "a1", "a");
    }

    @Test
    void tasksMayEndLate() {
        assertViolates(unfinished().closed(60_000, List.of("a2"), List.of()).judge(), CheckerRule.ALL_DONE);
        Judgement busy = unfinished()
                .stalled(40_000, 50_000, "p")
                .closed(60_000, List.of("a2"), List.of())
                .judge();
        assertViolatesNothing(busy);
        assertThat(busy.verdicts().get(CheckerRule.ALL_DONE)).isInstanceOf(Verdict.NotChecked.class);
        // It was busy before, but had time to end since.
        assertViolates(
                unfinished()
                        .stalled(10_000, 20_000, "p")
                        .closed(60_000, List.of("a2"), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void soMayTheFinalTaskOfAFanOut() {
        HistoryBuilder fannedOut =
                new HistoryBuilder().published(0, "fan-7-1", "fan-7").ran(100, "p", "fan-7-1", "fan-7");
        assertViolates(fannedOut.closed(60_000).judge(), CheckerRule.FAN_OUTS);
        assertDoesNotJudge(fannedOut.stalled(45_000, 55_000, "p").judge(), CheckerRule.FAN_OUTS);
    }

    @Test
    void aLostTaskIsLostOnABusyMachineToo() {
        assertViolates(
                unfinished().stalled(40_000, 50_000, "p").closed(60_000).judge(),
                CheckerRule.NOTHING_LOST,
                CheckerRule.CUSTODY);
    }

    private static HistoryBuilder startedLate() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .started(10_500, "p", "a1", "a", 1, 101, 10_100)
                .finished(10_510, "p", "a1", Ending.SUCCEEDED)
                .closed(20_000);
    }

    @Test
    void aHandlerMayStartLateInAProcessThatStoodStillJustThen() {
        assertViolates(startedLate().judge(), CheckerRule.LEASED_START);
        assertKeeps(startedLate().stalled(10_050, 10_450, "p").judge(), CheckerRule.LEASED_START);
        assertViolates(startedLate().stalled(9_000, 9_500, "p").judge(), CheckerRule.LEASED_START);
    }

    @Test
    void aFaultMayHitNothing() {
        HistoryBuilder missed = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .killed(5_000, "p")
                .fault(5_000, 5_100, "p")
                .closed(20_000);
        assertViolates(missed.judge(), CheckerRule.NOT_VACUOUS);
        Judgement busy = missed.stalled(2_000, 4_000, "p").judge();
        assertThat(busy.verdicts().get(CheckerRule.NOT_VACUOUS)).isInstanceOf(Verdict.NotChecked.class);
    }

    @Test
    void anExecutorMayNotLeaveInTime() {
        HistoryBuilder forced = ranOnce()
                .add(new Event.LeaveRequested(13_000_000_000L, "p"))
                .killed(73_000, "p")
                .closed(80_000);
        assertViolates(forced.judge(), CheckerRule.ALL_DONE);
        assertViolatesNothing(forced.stalled(50_000, 70_000, "p").judge());
    }

    private static HistoryBuilder ranOnce() {
        return new HistoryBuilder().published(0, "a1", "a").ran(100, "p", "a1", "a");
    }
}
