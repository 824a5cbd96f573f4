package dev.tandem.verify.check;

import java.util.List;
import java.util.Map;

/**
 * What the judge says of a trial.
 *
 * @param verdicts of every rule
 * @param violations in words, the first ones of each rule
 * @param figures what was counted and measured
 */
public record Judgement(Map<CheckerRule, Verdict> verdicts, List<Finding> violations, TrialStatistics figures) {

    public Judgement {
        verdicts = Map.copyOf(verdicts);
        violations = List.copyOf(violations);
    }

    /** No rule was broken. */
    public boolean passed() {
        return verdicts.values().stream().noneMatch(Verdict.Broken.class::isInstance);
    }

    /** The only thing wrong is that the fault hit nothing. */
    public boolean vacuous() {
        return verdicts.get(CheckerRule.NOT_VACUOUS) instanceof Verdict.Broken
                && verdicts.entrySet().stream()
                        .noneMatch(each ->
                                each.getKey() != CheckerRule.NOT_VACUOUS && each.getValue() instanceof Verdict.Broken);
    }
}
