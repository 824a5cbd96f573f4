package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.UNORDERED;
import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import org.junit.jupiter.api.Test;

/** Guarantees 3 and 4: histories that break exclusion, leased starts or tokens, and ones that do not. */
class ClaimCheckTest {

    @Test
    void reportsTwoValidClaimsOfAKey() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .started(200, "q", "a1", "a", 2)
                        .finished(210, "q", "a1", Ending.SUCCEEDED)
                        .finished(300, "p", "a1", Ending.SUCCEEDED)
                        .closed(2_000)
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void allowsForLeaseEndsInWholeMilliseconds() {
        assertKeeps(frozenAndTakenOverAt(10_099).judge(), CheckerRule.EXCLUSION);
        assertViolates(frozenAndTakenOverAt(10_098).judge(), CheckerRule.EXCLUSION);
    }

    /** The lease of the first run ends at 10,100 ms, as far as its process knows. */
    private static HistoryBuilder frozenAndTakenOverAt(long millis) {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .frozen(200, 20_200, "p")
                .started(millis, "q", "a1", "a", 2)
                .finished(millis + 10, "q", "a1", Ending.SUCCEEDED)
                .finished(20_210, "p", "a1", Ending.SUCCEEDED)
                .closed(21_000);
    }

    @Test
    void treatsTheRunsOfADeadProcessAsEnded() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .killed(150, "p")
                        .started(200, "q", "a1", "a", 2)
                        .finished(210, "q", "a1", Ending.SUCCEEDED)
                        .closed(2_000)
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void acceptsThatAThawedProcessFinishesARunUnderALapsedClaim() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .frozen(200, 20_200, "p")
                        .started(10_200, "q", "a1", "a", 2)
                        .finished(10_210, "q", "a1", Ending.SUCCEEDED)
                        .finished(20_210, "p", "a1", Ending.SUCCEEDED)
                        .closed(21_000)
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void treatsAClaimAsValidUntilTheEndOfItsLastRenewal() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .add(new Event.LeaseRenewed(4_000_000_000L, "p", "a1", 101, 14_000_000_000L))
                        .frozen(4_200, 24_200, "p")
                        .started(10_200, "q", "a1", "a", 2)
                        .finished(10_210, "q", "a1", Ending.SUCCEEDED)
                        .finished(24_210, "p", "a1", Ending.SUCCEEDED)
                        .closed(25_000)
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void reportsThatAnOutcomeUnderAnOldTokenWasAccepted() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .published(1, "a2", "a")
                        .started(100, "p", "a1", "a", 1)
                        .frozen(200, 20_200, "p")
                        .started(10_200, "q", "a1", "a", 2)
                        .finished(20_210, "p", "a1", Ending.SUCCEEDED)
                        .add(new Event.LeaseRenewed(20_000_000_000L, "q", "a1", 102, 30_000_000_000L))
                        .started(20_300, "q", "a2", "a", 1)
                        .finished(20_310, "q", "a2", Ending.SUCCEEDED)
                        .finished(20_400, "q", "a1", Ending.SUCCEEDED)
                        .closed(25_000)
                        .judge(),
                CheckerRule.EXCLUSION,
                CheckerRule.ORDER);
    }

    @Test
    void reportsAStartUnderALapsedClaimUnlessTheProcessWasFrozen() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1, 7, 50)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .closed(2_000);
        assertViolates(history.judge(), CheckerRule.LEASED_START);
        assertKeeps(history.frozen(40, 99, "p").judge(), CheckerRule.LEASED_START);
    }

    @Test
    void acceptsALateStartIfARenewalWasUnderWayBeforeItsLeaseHadEnded() {
        assertViolates(endedInOrder(startedAfterItsLease()).judge(), CheckerRule.LEASED_START);
        assertKeeps(endedInOrder(startedAfterItsLease().add(renewed(3_000))).judge(), CheckerRule.LEASED_START);
        // Asked for at 120 ms: the claim had lapsed by then, and the handler had begun.
        assertViolates(
                endedInOrder(startedAfterItsLease().add(renewed(120 + HistoryBuilder.LEASE)))
                        .judge(),
                CheckerRule.LEASED_START);
    }

    private static HistoryBuilder startedAfterItsLease() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .started(100, "p", "a1", "a", 1, 7, 98);
    }

    private static Event renewed(long untilMillis) {
        return new Event.LeaseRenewed(130_000_000L, "p", "a1", 7, untilMillis * 1_000_000);
    }

    private static HistoryBuilder endedInOrder(HistoryBuilder history) {
        return history.finished(200, "p", "a1", Ending.SUCCEEDED)
                .started(300, "p", "a2", "a", 1)
                .finished(310, "p", "a2", Ending.SUCCEEDED)
                .closed(2_000);
    }

    @Test
    void stillReportsTwoClaimsAtOnceIfOneIsRenewedLate() {
        assertViolates(
                endedInOrder(startedAfterItsLease()
                                .add(renewed(3_000))
                                .started(150, "q", "a1", "a", 1, 8, 9_000)
                                .finished(190, "q", "a1", Ending.SUCCEEDED))
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void appliesExclusionToSingleTasksInAQueueWithoutOrder() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .started(100, "p", "a2", "a", 1)
                .started(105, "q", "a1", "a", 1)
                .finished(130, "p", "a2", Ending.SUCCEEDED)
                .finished(140, "q", "a1", Ending.SUCCEEDED);
        assertKeeps(history.closed(2_000).judge(UNORDERED), CheckerRule.LEASED_START);
        assertViolates(
                history.started(135, "p", "a1", "a", 2)
                        .finished(150, "p", "a1", Ending.SUCCEEDED)
                        .judge(UNORDERED),
                CheckerRule.EXCLUSION);
    }

    @Test
    void acceptsAnUnnoticedRedeliveryInAQueueWithoutOrder() {
        assertKeeps(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .cut(50, 9_000, "p", Server.BROKER)
                        .started(100, "p", "a1", "a", 1)
                        .started(5_000, "q", "a1", "a", 1)
                        .finished(5_010, "q", "a1", Ending.SUCCEEDED)
                        .finished(9_500, "p", "a1", Ending.SUCCEEDED)
                        .closed(20_000)
                        .judge(UNORDERED),
                CheckerRule.EXCLUSION);
    }

    @Test
    void reportsATokenThatDoesNotGrow() {
        HistoryBuilder history = new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .started(100, "p", "a1", "a", 1, 9, 10_000)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .started(120, "p", "a2", "a", 1, 9, 10_000)
                .finished(130, "p", "a2", Ending.SUCCEEDED)
                .closed(2_000);
        assertViolates(history.judge(), CheckerRule.TOKENS);
    }
}
