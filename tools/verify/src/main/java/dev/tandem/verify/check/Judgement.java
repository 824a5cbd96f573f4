package dev.tandem.verify.check;

import java.util.List;
import java.util.Map;

/**
 * The checker's result for a trial.
 *
 * @param verdicts the verdict on every rule
 * @param findings the first violations of each rule
 * @param statistics what was counted and measured
 */
public record Judgement(Map<CheckerRule, Verdict> verdicts, List<Finding> findings, TrialStatistics statistics) {

    public Judgement {
        verdicts = Map.copyOf(verdicts);
        findings = List.copyOf(findings);
    }

    /** Returns whether no rule was violated. */
    public boolean passed() {
        return verdicts.values().stream().noneMatch(Verdict.Broken.class::isInstance);
    }

    /** Returns whether the only violation is that the fault had no effect. */
    public boolean vacuous() {
        return verdicts.get(CheckerRule.NOT_VACUOUS) instanceof Verdict.Broken
                && verdicts.values().stream()
                                .filter(Verdict.Broken.class::isInstance)
                                .count()
                        == 1;
    }
}
