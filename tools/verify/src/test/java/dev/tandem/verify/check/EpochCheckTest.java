package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static dev.tandem.verify.check.JudgementAssertions.correctHistory;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Guarantee 4 across owners. */
class EpochCheckTest {

    /** Two owners of partition 0, one after the other. */
    private static HistoryBuilder twoOwners() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .published(2, "a3", "a")
                .acquired(5, "p", 1_000)
                .ranUnder(10, "p", "a1", "a", 1_000, 1_001)
                .acquired(50, "q", 2_000)
                .ranUnder(60, "q", "a2", "a", 2_000, 2_001);
    }

    private static HistoryBuilder twoOwnersAndAnotherTask() {
        return twoOwners().published(3, "b1", "b").ranUnder(80, "q", "a3", "a", 2_000, 2_002);
    }

    @Test
    void acceptsALateStartUnderAClaimThatWasRequestedInTime() {
        Judgement judgement = twoOwnersAndAnotherTask()
                .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 49)
                .closed(20_000)
                .judge();
        assertKeeps(judgement, CheckerRule.EPOCHS);
        assertThat(judgement.verdicts().get(CheckerRule.EPOCHS)).isInstanceOf(Verdict.Kept.class);
        assertThat(correctHistory().closed(20_000).judge().verdicts().get(CheckerRule.EPOCHS))
                .as("no epoch is known")
                .isInstanceOf(Verdict.NotChecked.class);
    }

    @Test
    void reportsAClaimOfAFormerOwner() {
        assertViolates(
                twoOwnersAndAnotherTask()
                        .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 51)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
    }

    @Test
    void acceptsAClaimOfAFormerOwnerIfTheStoreForgotTheLaterOne() {
        assertKeeps(
                twoOwnersAndAnotherTask()
                        .writesLost(40, 85)
                        .ranUnder(90, "p", "b1", "b", 1_000, 1_002, 86)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
    }

    @Test
    void reportsAnEpochThatIsGivenTwice() {
        HistoryBuilder history = twoOwners().acquired(70, "r", 2_000).ranUnder(80, "q", "a3", "a", 2_000, 2_002);
        assertViolates(history.closed(20_000).judge(), CheckerRule.EPOCHS);
    }

    @Test
    void reportsATokenOutsideItsEpoch() {
        assertViolates(
                twoOwners()
                        .published(3, "b1", "b")
                        .ranUnder(70, "p", "b1", "b", 1_000, 2_500)
                        .ranUnder(80, "q", "a3", "a", 2_000, 2_002)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
        assertViolates(
                twoOwners()
                        .ranUnder(80, "q", "a3", "a", 2_100, 2_002)
                        .closed(20_000)
                        .judge(),
                CheckerRule.EPOCHS);
    }
}
