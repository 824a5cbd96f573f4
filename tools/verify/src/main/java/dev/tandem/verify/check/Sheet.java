package dev.tandem.verify.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Where the rules write what they looked at and what they found. */
final class Sheet {

    /** Of each rule, at most so many are told in words; all are counted. */
    private static final int TOLD = 20;

    private final Map<Rule, Long> checked = new EnumMap<>(Rule.class);
    private final Map<Rule, Long> broken = new EnumMap<>(Rule.class);
    private final Map<Rule, String> omitted = new EnumMap<>(Rule.class);
    private final List<Violation> violations = new ArrayList<>();

    /** One case was looked at. */
    void looked(Rule rule) {
        checked.merge(rule, 1L, Long::sum);
    }

    /** One case that was looked at broke the rule. */
    void broken(Rule rule, long at, String text) {
        if (broken.merge(rule, 1L, Long::sum) <= TOLD) {
            violations.add(new Violation(rule, at, text));
        }
    }

    /** The rule can't be judged here. */
    void omit(Rule rule, String why) {
        omitted.putIfAbsent(rule, why);
    }

    Map<Rule, Verdict> verdicts() {
        Map<Rule, Verdict> verdicts = new EnumMap<>(Rule.class);
        for (Rule rule : Rule.values()) {
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

    List<Violation> violations() {
        return List.copyOf(violations);
    }
}
