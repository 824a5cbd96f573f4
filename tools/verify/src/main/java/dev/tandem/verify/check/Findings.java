package dev.tandem.verify.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Where the rules write what they looked at and what they found. */
final class Findings {

    /** Of each rule, at most so many are told in words; all are counted. */
    private static final int TOLD = 20;

    private final Map<CheckerRule, Long> checked = new EnumMap<>(CheckerRule.class);
    private final Map<CheckerRule, Long> broken = new EnumMap<>(CheckerRule.class);
    private final Map<CheckerRule, String> omitted = new EnumMap<>(CheckerRule.class);
    private final List<Finding> violations = new ArrayList<>();

    /** One case was looked at. */
    void looked(CheckerRule rule) {
        checked.merge(rule, 1L, Long::sum);
    }

    /** One case that was looked at broke the rule. */
    void broken(CheckerRule rule, long at, String text) {
        if (broken.merge(rule, 1L, Long::sum) <= TOLD) {
            violations.add(new Finding(rule, at, text));
        }
    }

    /** The rule can't be judged here. */
    void omit(CheckerRule rule, String why) {
        omitted.putIfAbsent(rule, why);
    }

    Map<CheckerRule, Verdict> verdicts() {
        Map<CheckerRule, Verdict> verdicts = new EnumMap<>(CheckerRule.class);
        for (CheckerRule rule : CheckerRule.values()) {
            long cases = checked.getOrDefault(rule, 0L);
            long bad = broken.getOrDefault(rule, 0L);
            String why = omitted.get(rule);
            verdicts.put(
                    rule,
                    bad > 0
                            ? new Verdict.Broken(cases, bad)
                            : why != null
                                    ? new Verdict.NotChecked(why)
                                    : cases == 0
                                            ? new Verdict.NotChecked("nothing of the kind happened")
                                            : new Verdict.Kept(cases));
        }
        return verdicts;
    }

    List<Finding> violations() {
        return List.copyOf(violations);
    }
}
