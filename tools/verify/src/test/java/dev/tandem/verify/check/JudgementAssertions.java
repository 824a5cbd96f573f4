package dev.tandem.verify.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event.Ending;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Assertions that the tests of the checks share. */
final class JudgementAssertions {

    static final CheckerSettings UNORDERED = CheckerSettings.of(false, false, Duration.ofMillis(HistoryBuilder.LEASE));

    private JudgementAssertions() {}

    /** Asserts that exactly these rules are violated. */
    static void assertViolates(Judgement judgement, CheckerRule rule, CheckerRule... others) {
        assertThat(violated(judgement)).as(judgement.findings().toString()).isEqualTo(EnumSet.of(rule, others));
    }

    /** Asserts that these rules were checked, and that none at all is violated. */
    static void assertKeeps(Judgement judgement, CheckerRule... rules) {
        assertViolatesNothing(judgement);
        for (CheckerRule rule : rules) {
            assertThat(judgement.verdicts().get(rule)).as("%s", rule).isInstanceOf(Verdict.Kept.class);
        }
    }

    /** Asserts that this rule was not judged, and that none at all is violated. */
    static void assertDoesNotJudge(Judgement judgement, CheckerRule rule) {
        assertViolatesNothing(judgement);
        assertThat(judgement.verdicts().get(rule)).as("%s", rule).isInstanceOf(Verdict.NotChecked.class);
    }

    /** Asserts that no rule is violated. */
    static void assertViolatesNothing(Judgement judgement) {
        assertThat(violated(judgement)).as(judgement.findings().toString()).isEmpty();
    }

    private static Set<CheckerRule> violated(Judgement judgement) {
        return judgement.verdicts().entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Verdict.Broken)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(CheckerRule.class)));
    }

    /** Returns a history that is correct so far: two keys, a retry, and a kill whose task runs again. */
    static HistoryBuilder correctHistory() {
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
}
