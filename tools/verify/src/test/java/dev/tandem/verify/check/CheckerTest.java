package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertViolatesNothing;
import static dev.tandem.verify.check.JudgementAssertions.correctHistory;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks whole histories: a correct one, and one with too little to check. */
class CheckerTest {

    @Test
    void acceptsACorrectHistory() {
        Judgement judgement = correctHistory().closed(20_000).judge();
        assertViolatesNothing(judgement);
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
        assertThat(judgement.statistics().published()).isEqualTo(4);
        assertThat(judgement.statistics().succeeded()).isEqualTo(4);
        assertThat(judgement.statistics().interrupted()).isEqualTo(1);
        assertThat(judgement.statistics().recoveries()).containsExactly(11_650_000_000L);
    }

    @Test
    void reportsRulesWithoutCasesAsNotChecked() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(10, "p", "a1", "a")
                .judge();
        assertViolatesNothing(judgement);
        assertThat(judgement.verdicts().get(CheckerRule.NOTHING_LOST)).isInstanceOf(Verdict.NotChecked.class);
        assertThat(judgement.verdicts().get(CheckerRule.EXCLUSION)).isInstanceOf(Verdict.NotChecked.class);
        assertThat(judgement.verdicts().get(CheckerRule.NOT_VACUOUS)).isInstanceOf(Verdict.NotChecked.class);
    }
}
