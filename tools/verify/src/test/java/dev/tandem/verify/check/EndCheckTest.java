package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertDoesNotJudge;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks that expire or are cancelled: histories with one defect each. The time of a task is over 800 ms after it is due. */
class EndCheckTest {

    private static HistoryBuilder expiring() {
        return new HistoryBuilder().published(0, "exp-1-1", "exp-1");
    }

    @Test
    void reportsATaskThatStartsAfterItsTime() {
        assertKeeps(expiring().ran(700, "p", "exp-1-1", "exp-1").closed(20_000).judge(), CheckerRule.EXPIRY);
        assertViolates(
                expiring().ran(2_500, "p", "exp-1-1", "exp-1").closed(20_000).judge(), CheckerRule.EXPIRY);
        assertKeeps(
                new HistoryBuilder()
                        .scheduled(0, "exp-1-1", "exp-1", 2_000)
                        .ran(2_500, "p", "exp-1-1", "exp-1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
    }

    @Test
    void doesNotReportAStartOfAProcessThatCouldNotLook() {
        assertKeeps(
                expiring()
                        .ran(2_500, "p", "exp-1-1", "exp-1")
                        .frozen(700, 2_400, "p")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
        assertKeeps(
                expiring()
                        .ran(2_500, "p", "exp-1-1", "exp-1")
                        .stalled(1_000, 2_000, "p")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
        assertViolates(
                expiring()
                        .ran(2_500, "p", "exp-1-1", "exp-1")
                        .stalled(1_000, 2_000, "q")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
    }

    @Test
    void reportsATaskThatExpiresBeforeItsTimeOrWithoutATrace() {
        assertKeeps(expiring().ended(900, "exp-1-1", "expired").closed(20_000).judge(), CheckerRule.EXPIRY);
        assertViolates(
                new HistoryBuilder()
                        .scheduled(0, "exp-1-1", "exp-1", 5_000)
                        .ended(900, "exp-1-1", "expired")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
        assertViolates(
                expiring().ended(900, "exp-1-1", "cancelled").closed(20_000).judge(), CheckerRule.EXPIRY);
        assertViolates(expiring().closed(20_000).judge(), CheckerRule.NOTHING_LOST, CheckerRule.CUSTODY);
        // The store has forgotten it, and the broker need not have it any more.
        assertDoesNotJudge(expiring().writesLost(700, 2_000).closed(20_000).judge(), CheckerRule.EXPIRY);
    }

    @Test
    void reportsASuccessThatIsKeptAsExpired() {
        HistoryBuilder ran = expiring().ran(100, "p", "exp-1-1", "exp-1");
        assertViolates(ran.ended(900, "exp-1-1", "expired").closed(20_000).judge(), CheckerRule.EXPIRY);
        assertKeeps(
                expiring()
                        .ran(100, "p", "exp-1-1", "exp-1")
                        .killed(200, "p")
                        .ended(900, "exp-1-1", "expired")
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
    }

    @Test
    void theNextTaskOfItsKeyWaitsForTheEndOfOneThatExpiresOrIsCancelled() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "canr-2-1", "canr-2")
                .published(1, "canr-2-2", "canr-2")
                .started(100, "p", "canr-2-1", "canr-2", 1)
                .finished(500, "p", "canr-2-1", Ending.STOPPED)
                .ended(501, "canr-2-1", "cancelled")
                .cancelled(400, 600, "canr-2-1");
        assertKeeps(history.ran(510, "p", "canr-2-2", "canr-2").closed(20_000).judge(), CheckerRule.CANCELLATIONS);
        assertViolates(
                new HistoryBuilder()
                        .published(0, "canr-2-1", "canr-2")
                        .published(1, "canr-2-2", "canr-2")
                        .started(100, "p", "canr-2-1", "canr-2", 1)
                        .ran(300, "p", "canr-2-2", "canr-2")
                        .finished(500, "p", "canr-2-1", Ending.STOPPED)
                        .ended(501, "canr-2-1", "cancelled")
                        .closed(20_000)
                        .judge(),
                CheckerRule.ORDER,
                CheckerRule.EXCLUSION);
    }

    @Test
    void aFrozenRunEndsInVainWhenItsTaskHasExpired() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "exp-1-1", "exp-1")
                        .published(12_000, "exp-1-2", "exp-1")
                        .started(100, "p", "exp-1-1", "exp-1", 1)
                        .frozen(150, 14_000, "p")
                        .ended(12_100, "exp-1-1", "expired")
                        .ran(12_110, "q", "exp-1-2", "exp-1")
                        .finished(14_010, "p", "exp-1-1", Ending.SUCCEEDED)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EXPIRY);
    }

    private static HistoryBuilder cancelled() {
        return new HistoryBuilder()
                .scheduled(0, "canw-4-1", "canw-4", 4_000)
                .cancelled(990, 1_000, "canw-4-1")
                .ended(995, "canw-4-1", "cancelled");
    }

    @Test
    void reportsACancelledTaskThatStarts() {
        assertKeeps(cancelled().closed(20_000).judge(), CheckerRule.CANCELLATIONS);
        assertViolates(
                cancelled().ran(4_000, "p", "canw-4-1", "canw-4").closed(20_000).judge(), CheckerRule.CANCELLATIONS);
        // The store has forgotten that it was cancelled.
        assertDoesNotJudge(
                cancelled()
                        .writesLost(900, 1_500)
                        .ran(4_000, "p", "canw-4-1", "canw-4")
                        .closed(20_000)
                        .judge(),
                CheckerRule.CANCELLATIONS);
    }

    @Test
    void aMessageQueueMayTakeACancelledTaskOverAgain() {
        CheckerSettings queue = CheckerSettings.of(true, false, Duration.ofMillis(HistoryBuilder.LEASE));
        HistoryBuilder again = cancelled()
                .down(1_500, 2_000, Server.STORE)
                .ran(4_000, "p", "canw-4-1", "canw-4")
                .closed(20_000);
        assertDoesNotJudge(again.judge(queue), CheckerRule.CANCELLATIONS);
        assertViolates(again.judge(), CheckerRule.CANCELLATIONS);
        assertViolates(
                cancelled()
                        .down(9_000, 9_500, Server.STORE)
                        .ran(4_000, "p", "canw-4-1", "canw-4")
                        .closed(20_000)
                        .judge(queue),
                CheckerRule.CANCELLATIONS);
    }

    @Test
    void reportsAConfirmedCancellationThatIsNotKept() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "canr-2-1", "canr-2")
                        .ran(100, "p", "canr-2-1", "canr-2")
                        .cancelled(105, 130, "canr-2-1")
                        .closed(20_000)
                        .judge(),
                CheckerRule.CANCELLATIONS);
        assertViolates(
                new HistoryBuilder()
                        .published(0, "canr-2-1", "canr-2")
                        .ran(100, "p", "canr-2-1", "canr-2")
                        .cancelled(105, 130, "canr-2-1")
                        .ended(120, "canr-2-1", "cancelled")
                        .closed(20_000)
                        .judge(),
                CheckerRule.CANCELLATIONS);
    }

    @Test
    void aTaskThatIsHeldHasNotEnded() {
        assertViolates(
                new HistoryBuilder()
                        .scheduled(0, "canw-4-1", "canw-4", 4_000)
                        .closed(20_000, List.of("canw-4-1"), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }
}
