package dev.tandem.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Histories with one defect each: that one is named, and no other. And ones without, however bad they look. */
class CheckerTest {

    private static final CheckerSettings UNORDERED =
            CheckerSettings.of(false, false, Duration.ofMillis(HistoryBuilder.LEASE));

    private static void assertBreaks(Judgement judgement, CheckerRule... rules) {
        Set<CheckerRule> broken = judgement.verdicts().entrySet().stream()
                .filter(each -> each.getValue() instanceof Verdict.Broken)
                .map(java.util.Map.Entry::getKey)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(CheckerRule.class)));
        assertThat(broken)
                .as(judgement.violations().toString())
                .isEqualTo(
                        rules.length == 0 ? EnumSet.noneOf(CheckerRule.class) : EnumSet.copyOf(Arrays.asList(rules)));
    }

    /** Two keys, a retry, a kill in the middle: all as it should be. */
    private static HistoryBuilder clean() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "b1", "b")
                .published(2, "a2", "a")
                .published(3, "b2", "b")
                .ran(100, "p", "a1", "a")
                .started(105, "q", "b1", "b", 1)
                .finished(115, "q", "b1", Ending.FAILED)
                .audited(200, 1, List.of("b1"), List.of())
                .started(300, "p", "a2", "a", 1)
                .killed(350, "p")
                .fault(350, 400, "p")
                .started(1_200, "q", "b1", "b", 2)
                .finished(1_210, "q", "b1", Ending.SUCCEEDED)
                .ran(1_220, "q", "b2", "b")
                .started(12_000, "q", "a2", "a", 2)
                .finished(12_010, "q", "a2", Ending.SUCCEEDED);
    }

    @Test
    void aCleanHistoryBreaksNothing() {
        Judgement judgement = clean().closed(20_000).judge();
        assertBreaks(judgement);
        assertThat(judgement.passed()).isTrue();
        for (CheckerRule rule : List.of(
                CheckerRule.NOTHING_LOST,
                CheckerRule.ALL_DONE,
                CheckerRule.CUSTODY,
                CheckerRule.ORDER,
                CheckerRule.EXCLUSION,
                CheckerRule.LEASED_START,
                CheckerRule.TOKENS,
                CheckerRule.DUPLICATES,
                CheckerRule.ATTEMPTS,
                CheckerRule.NOT_VACUOUS)) {
            assertThat(judgement.verdicts().get(rule)).as(rule.name()).isInstanceOf(Verdict.Kept.class);
        }
        assertThat(judgement.figures().published()).isEqualTo(4);
        assertThat(judgement.figures().succeeded()).isEqualTo(4);
        assertThat(judgement.figures().interrupted()).isEqualTo(1);
        assertThat(judgement.figures().recoveries()).containsExactly(11_650_000_000L);
    }

    @Test
    void whatWasNotPutToTheTestIsNotCalledKept() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(10, "p", "a1", "a")
                .judge();
        assertBreaks(judgement);
        assertThat(judgement.verdicts().get(CheckerRule.NOTHING_LOST)).isInstanceOf(Verdict.NotChecked.class);
        assertThat(judgement.verdicts().get(CheckerRule.EXCLUSION)).isInstanceOf(Verdict.NotChecked.class);
        assertThat(judgement.verdicts().get(CheckerRule.NOT_VACUOUS)).isInstanceOf(Verdict.NotChecked.class);
    }

    // ---- 1: nothing lost

    @Test
    void anAcknowledgedTaskThatNobodyHasIsLost() {
        assertBreaks(
                clean().published(30, "c1", "c").closed(20_000).judge(), CheckerRule.NOTHING_LOST, CheckerRule.CUSTODY);
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .tell(new Event.TrialClosed(1, 0))
                        .tell(new Event.Audit(2, List.of(), List.of(), List.of()))
                        .judge(UNORDERED),
                CheckerRule.NOTHING_LOST);
    }

    @Test
    void aTaskThatWasNotAcknowledgedMayBeLost() {
        assertBreaks(clean().tell(new Event.Unacknowledged(50_000_000, "c1", "c"))
                .closed(20_000)
                .judge());
    }

    @Test
    void whatTheStoreHoldsBehindADeadTaskIsNotLostAndOtherwiseUnfinished() {
        HistoryBuilder story = clean().published(30, "c1", "c")
                .published(31, "c2", "c")
                .started(40, "q", "c1", "c", 1)
                .finished(50, "q", "c1", Ending.DEAD);
        Judgement judgement = story.closed(20_000, List.of("c2"), List.of("c1")).judge();
        assertBreaks(judgement);
        assertThat(judgement.figures().held()).isEqualTo(1);
        assertBreaks(
                clean().published(30, "c1", "c")
                        .closed(20_000, List.of("c1"), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void whatTheBrokerStillHasIsUnfinished() {
        assertBreaks(
                clean().published(30, "c1", "c")
                        .tell(new Event.TrialClosed(20_000_000_000L, 1))
                        .audited(20_010, 4, List.of(), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void aCommitOverATaskThatNobodyHasIsNamedEvenIfItRunsLater() {
        assertBreaks(
                clean().audited(250, 2, List.of(), List.of()).closed(20_000).judge(), CheckerRule.CUSTODY);
        assertBreaks(
                clean().audited(250, 2, List.of("b1"), List.of()).closed(20_000).judge());
    }

    @Test
    void offsetsThatAreNeverCommittedAreNamedThoughAllHasEnded() {
        assertBreaks(
                clean().tell(new Event.TrialClosed(20_000_000_000L, 2))
                        .audited(20_010, 2, List.of(), List.of())
                        .judge(),
                CheckerRule.ALL_DONE);
    }

    @Test
    void anExecutorThatHasToBeKilledThoughItWasAskedToLeaveIsNamed() {
        HistoryBuilder story =
                clean().tell(new Event.LeaveRequested(13_000_000_000L, "q")).killed(73_000, "q");
        assertBreaks(story.closed(80_000).judge(), CheckerRule.ALL_DONE);
        assertBreaks(story.down(14_000, 70_000, Server.STORE).judge());
    }

    @Test
    void aCommitThatFallsIsNamed() {
        assertBreaks(
                clean().audited(250, 0, List.of("b1"), List.of()).closed(20_000).judge(), CheckerRule.CUSTODY);
    }

    // ---- 2: order

    @Test
    void aTaskThatStartsBeforeItsPredecessorHasEndedIsOutOfOrder() {
        // The first waits for its second attempt, and holds its key.
        assertBreaks(
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
    void theBrokersOrderIsTheOrderOfFirstStarts() {
        assertBreaks(
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
    void aScheduledTaskHasNoPlaceAmongThoseThatAreNot() {
        assertBreaks(new HistoryBuilder()
                .scheduled(0, "a1", "a", 1_000)
                .published(1, "a2", "a")
                .ran(100, "p", "a2", "a")
                .ran(1_001, "p", "a1", "a")
                .closed(2_000)
                .judge());
    }

    @Test
    void whatEndedUnrecordedInAKilledProcessRunsAgainInItsOrder() {
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
        assertBreaks(judgement);
        assertThat(judgement.figures().duplicates()).containsOnly(java.util.Map.entry("killed", 2L));
    }

    private static HistoryBuilder cutOffBeforeAScheduledTaskOfItsKey(boolean scheduled) {
        HistoryBuilder story = new HistoryBuilder();
        (scheduled ? story.scheduled(0, "a1", "a", 2_000) : story.published(0, "a1", "a"))
                .published(1, "a2", "a")
                .started(100, "p", "a2", "a", 1)
                .killed(110, "p");
        return story;
    }

    private static HistoryBuilder endedInTheOtherOrder(HistoryBuilder story) {
        return story.started(12_000, "q", "a1", "a", 1)
                .finished(12_010, "q", "a1", Ending.SUCCEEDED)
                .started(12_020, "q", "a2", "a", 1)
                .finished(12_030, "q", "a2", Ending.SUCCEEDED)
                .closed(13_000);
    }

    @Test
    void aTaskThatHadBegunGoesFirstUnlessTheStoreForgotAndItsProcessIsDead() {
        assertBreaks(
                endedInTheOtherOrder(cutOffBeforeAScheduledTaskOfItsKey(true)).judge(), CheckerRule.ORDER);
        assertBreaks(
                endedInTheOtherOrder(cutOffBeforeAScheduledTaskOfItsKey(true).forgot(50, 1_000))
                        .judge());
        assertThat(endedInTheOtherOrder(cutOffBeforeAScheduledTaskOfItsKey(true).forgot(105, 1_000))
                        .judge()
                        .violations())
                .as("its claim was not among what was forgotten")
                .isNotEmpty();
        assertThat(endedInTheOtherOrder(
                                cutOffBeforeAScheduledTaskOfItsKey(false).forgot(50, 1_000))
                        .judge()
                        .violations())
                .as("both were due when they were published")
                .isNotEmpty();
    }

    // ---- 3: exclusion

    @Test
    void twoValidClaimsOfAKeyAreNamed() {
        assertBreaks(
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
    void theEndOfALeaseIsKnownToAMillisecond() {
        assertBreaks(frozenAndTakenOverAt(10_099).judge());
        assertBreaks(frozenAndTakenOverAt(10_098).judge(), CheckerRule.EXCLUSION);
    }

    /** The first start's lease is said to end at 10,100 ms. */
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
    void aRunOfAProcessThatDiedIsOver() {
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .killed(150, "p")
                .started(200, "q", "a1", "a", 2)
                .finished(210, "q", "a1", Ending.SUCCEEDED)
                .closed(2_000)
                .judge());
    }

    @Test
    void aFrozenProcessThatWakesUpMayFinishItsHandlerUnderALapsedClaim() {
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .frozen(200, 20_200, "p")
                .started(10_200, "q", "a1", "a", 2)
                .finished(10_210, "q", "a1", Ending.SUCCEEDED)
                .finished(20_210, "p", "a1", Ending.SUCCEEDED)
                .closed(21_000)
                .judge());
    }

    @Test
    void aFrozenProcessKeepsItsClaimUntilItsLastRenewalIsOver() {
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .started(100, "p", "a1", "a", 1)
                        .tell(new Event.LeaseRenewed(4_000_000_000L, "p", "a1", 101, 14_000_000_000L))
                        .frozen(4_200, 24_200, "p")
                        .started(10_200, "q", "a1", "a", 2)
                        .finished(10_210, "q", "a1", Ending.SUCCEEDED)
                        .finished(24_210, "p", "a1", Ending.SUCCEEDED)
                        .closed(25_000)
                        .judge(),
                CheckerRule.EXCLUSION);
    }

    @Test
    void aFollowerThatStartsWhileTheNewOwnerRunsTheTaskShowsThatAnOldOutcomeWasTaken() {
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .published(1, "a2", "a")
                        .started(100, "p", "a1", "a", 1)
                        .frozen(200, 20_200, "p")
                        .started(10_200, "q", "a1", "a", 2)
                        .finished(20_210, "p", "a1", Ending.SUCCEEDED)
                        .tell(new Event.LeaseRenewed(20_000_000_000L, "q", "a1", 102, 30_000_000_000L))
                        .started(20_300, "q", "a2", "a", 1)
                        .finished(20_310, "q", "a2", Ending.SUCCEEDED)
                        .finished(20_400, "q", "a1", Ending.SUCCEEDED)
                        .closed(25_000)
                        .judge(),
                CheckerRule.EXCLUSION,
                CheckerRule.ORDER);
    }

    @Test
    void aHandlerThatStartsUnderALapsedClaimIsNamedUnlessItsProcessWasFrozenInBetween() {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1, 7, 50)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .closed(2_000);
        assertBreaks(story.judge(), CheckerRule.LEASED_START);
        assertBreaks(story.frozen(40, 99, "p").judge());
    }

    @Test
    void withoutOrderTwoTasksOfAKeyMayRunAtOnceButNotOneTaskTwice() {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .started(100, "p", "a2", "a", 1)
                .started(105, "q", "a1", "a", 1)
                .finished(130, "p", "a2", Ending.SUCCEEDED)
                .finished(140, "q", "a1", Ending.SUCCEEDED);
        assertBreaks(story.closed(2_000).judge(UNORDERED));
        assertBreaks(
                story.started(135, "p", "a1", "a", 2)
                        .finished(150, "p", "a1", Ending.SUCCEEDED)
                        .judge(UNORDERED),
                CheckerRule.EXCLUSION);
    }

    @Test
    void withoutOrderABrokerMayGiveAwayWhatAnExecutorThatCantKnowStarts() {
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .cut(50, 9_000, "p", Server.BROKER)
                .started(100, "p", "a1", "a", 1)
                .started(5_000, "q", "a1", "a", 1)
                .finished(5_010, "q", "a1", Ending.SUCCEEDED)
                .finished(9_500, "p", "a1", Ending.SUCCEEDED)
                .closed(20_000)
                .judge(UNORDERED));
    }

    // ---- 4: tokens

    @Test
    void aTokenThatDoesNotGrowIsNamed() {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .started(100, "p", "a1", "a", 1, 9, 10_000)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .started(120, "p", "a2", "a", 1, 9, 10_000)
                .finished(130, "p", "a2", Ending.SUCCEEDED)
                .closed(2_000);
        assertBreaks(story.judge(), CheckerRule.TOKENS);
    }

    /** Two owners of partition 0, one after the other. */
    private static HistoryBuilder owners() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .published(2, "a3", "a")
                .owned(5, "p", 1_000)
                .ranUnder(10, "p", "a1", "a", 1_000, 1_001)
                .owned(50, "q", 2_000)
                .ranUnder(60, "q", "a2", "a", 2_000, 2_001);
    }

    private static HistoryBuilder ownersAndAnother() {
        return owners().published(3, "b1", "b").ranUnder(80, "q", "a3", "a", 2_000, 2_002);
    }

    @Test
    void whatAFormerOwnerClaimedInTimeMayStartLater() {
        Judgement judgement = ownersAndAnother()
                .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 49)
                .closed(20_000)
                .judge();
        assertBreaks(judgement);
        assertThat(judgement.verdicts().get(CheckerRule.EPOCHS)).isInstanceOf(Verdict.Kept.class);
        assertThat(clean().closed(20_000).judge().verdicts().get(CheckerRule.EPOCHS))
                .as("no epoch is known")
                .isInstanceOf(Verdict.NotChecked.class);
    }

    @Test
    void aFormerOwnerThatClaimsIsNamed() {
        assertBreaks(
                ownersAndAnother()
                        .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 51)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
    }

    @Test
    void aFormerOwnerMayClaimWhenTheStoreForgotTheLaterOne() {
        assertBreaks(ownersAndAnother()
                .forgot(40, 85)
                .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 86)
                .closed(20_000)
                .judge());
    }

    @Test
    void anEpochIsGivenOnce() {
        HistoryBuilder story = owners().owned(70, "r", 2_000).ranUnder(80, "q", "a3", "a", 2_000, 2_002);
        assertBreaks(story.closed(20_000).judge(), CheckerRule.EPOCHS);
    }

    @Test
    void aTokenThatLiesInAnotherOwnersRangeIsNamed() {
        assertBreaks(
                owners().published(3, "b1", "b")
                        .ranUnder(70, "p", "b1", "b", 1_000, 2_500)
                        .ranUnder(80, "q", "a3", "a", 2_000, 2_002)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
        assertBreaks(
                owners().ranUnder(80, "q", "a3", "a", 2_100, 2_002)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
    }

    // ---- 5: duplicates

    @Test
    void aDuplicateWithoutAFaultIsNamed() {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .ran(12_000, "q", "a1", "a")
                .closed(20_000);
        assertBreaks(story.judge(), CheckerRule.DUPLICATES);
        assertThat(story.judge().figures().duplicates()).containsKey("unexplained");
    }

    @Test
    void aFaultExplainsADuplicateOnlyIfItCameBeforeTheOutcomeCanHaveBeenRecorded() {
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .killed(9_000, "p")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        // While the store is away, outcomes wait in memory.
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .down(50, 8_000, Server.STORE)
                .killed(9_000, "p")
                .ran(12_000, "q", "a1", "a")
                .closed(20_000)
                .judge());
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .cut(90, 9_000, "p", Server.STORE)
                .ran(12_000, "q", "a1", "a")
                .closed(20_000)
                .judge());
        assertBreaks(new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .forgot(90, 1_000)
                .ran(12_000, "q", "a1", "a")
                .closed(20_000)
                .judge());
    }

    @Test
    void anExecutorThatLeavesOrLosesItsBrokerExplainsNoDuplicate() {
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .left(150, "p")
                        .ran(12_000, "q", "a1", "a")
                        .closed(20_000)
                        .judge(),
                CheckerRule.DUPLICATES);
        assertBreaks(
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
    void aRunThatWasUnderWayAndComesAgainNeedsAFault() {
        assertBreaks(
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
    void anAttemptThatNobodyMadeIsNamed() {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 2)
                .finished(110, "p", "a1", Ending.SUCCEEDED)
                .closed(2_000);
        assertBreaks(story.judge(), CheckerRule.ATTEMPTS);
        // Claimed by a process that died before it began.
        assertBreaks(story.killed(90, "q").judge());
    }

    // ---- 6: independence

    private static HistoryBuilder steady(long slowFrom, long wait) {
        HistoryBuilder story = new HistoryBuilder()
                .published(0, "stuck", "s")
                .started(5, "p", "stuck", "s", 1)
                .finished(6, "p", "stuck", Ending.FAILED);
        for (int i = 0; i < 300; i++) {
            long at = 10 + i * 100L;
            long start = at + 10 + (i >= slowFrom ? wait : 0);
            story.published(at, "t" + i, "k" + i).ran(start, "p", "t" + i, "k" + i);
        }
        return story.started(40_000, "p", "stuck", "s", 2).finished(40_005, "p", "stuck", Ending.SUCCEEDED);
    }

    @Test
    void otherKeysThatWaitWhileOneIsStuckAreNamed() {
        assertBreaks(steady(300, 0).closed(50_000).judge());
        assertBreaks(steady(290, 1_500).closed(50_000).judge(), CheckerRule.INDEPENDENCE);
    }

    @Test
    void waitsThatAFaultExplainsAreNot() {
        assertBreaks(steady(290, 1_500).fault(29_000, 29_500).closed(50_000).judge());
    }

    @Test
    void waitsOfAMachineThatIsTooBusySayNothing() {
        assertBreaks(steady(290, 1_500)
                .tell(new Event.ProcessStalled(31_000_000_000L, "p", 29_000_000_000L))
                .closed(50_000)
                .judge());
    }

    @Test
    void aCommitThatIsHeldUpByAStuckKeyIsNamed() {
        assertBreaks(
                steady(300, 0)
                        .audited(25_000, 0, List.of("stuck"), List.of())
                        .closed(50_000)
                        .judge(),
                CheckerRule.COMMIT_LAG);
        assertBreaks(steady(300, 0)
                .audited(25_000, 240, List.of("stuck"), List.of())
                .closed(50_000)
                .judge());
    }

    // ---- recovery

    @Test
    void aRetryIsNoRecovery() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .fault(105, 200, "p")
                .finished(110, "p", "a1", Ending.FAILED)
                .left(150, "p")
                .started(2_110, "q", "a1", "a", 2)
                .finished(2_120, "q", "a1", Ending.SUCCEEDED)
                .closed(3_000)
                .judge();
        assertBreaks(judgement);
        assertThat(judgement.figures().recoveries()).isEmpty();
        assertThat(judgement.figures().hits()).isEqualTo(1);
    }

    // ---- vacuous

    @Test
    void aFaultThatHitNothingIsVacuous() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .killed(5_000, "p")
                .fault(5_000, 5_100, "p")
                .closed(20_000)
                .judge();
        assertBreaks(judgement, CheckerRule.NOT_VACUOUS);
        assertThat(judgement.vacuous()).isTrue();
        assertThat(judgement.figures().hits()).isZero();
    }

    @Test
    void ofCombinedFaultsEachMustHit() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .tell(new Event.FaultBegan(1, "forget", 1, List.of()))
                .tell(new Event.FaultEnded(2, "forget", 1, 1))
                .tell(new Event.FaultBegan(3, "restart", 1, List.of()))
                .tell(new Event.FaultEnded(4, "restart", 1, 0))
                .closed(20_000)
                .judge();
        assertBreaks(judgement, CheckerRule.NOT_VACUOUS);
        assertThat(judgement.figures().hits()).isEqualTo(1);
    }

    @Test
    void aFaultThatCountsForItselfSaysWhetherItHit() {
        assertBreaks(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .tell(new Event.FaultBegan(1, "forget", 1, List.of()))
                        .tell(new Event.FaultEnded(2, "forget", 1, 0))
                        .closed(20_000)
                        .judge(),
                CheckerRule.NOT_VACUOUS);
    }

    @Test
    void aStoreThatForgotTheEndOfATaskWasHitThoughWhoStruckDidNotHearOfIt() {
        assertBreaks(forgetfulFrom(150).judge());
        assertBreaks(forgetfulFrom(105).judge(), CheckerRule.NOT_VACUOUS);
    }

    /** A task ends at 111 ms; the store forgets what it wrote after 100, and is down from then on. */
    private static HistoryBuilder forgetfulFrom(long down) {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .tell(new Event.FaultBegan(100_000_000L, "forget", 1, List.of()))
                .ran(101, "p", "a1", "a")
                .down(down, 200, Event.Server.STORE)
                .forgot(100, 200)
                .tell(new Event.FaultEnded(200_000_000L, "forget", 1, 0))
                .closed(20_000);
    }
}
