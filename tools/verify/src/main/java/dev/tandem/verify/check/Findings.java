package dev.tandem.verify.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects how often each rule was checked, and the violations that were found. */
final class Findings {

    /** How many violations of a rule are described. All are counted. */
    private static final int DESCRIBED = 20;

    private final Map<CheckerRule, Long> cases = new EnumMap<>(CheckerRule.class);
    private final Map<CheckerRule, Long> violations = new EnumMap<>(CheckerRule.class);
    private final Map<CheckerRule, String> reasonsNotChecked = new EnumMap<>(CheckerRule.class);
    private final List<Finding> described = new ArrayList<>();

    /** Counts one case to which a rule was applied. */
    void checked(CheckerRule rule) {
        checked(rule, 1);
    }

    /** Counts several cases at once. */
    void checked(CheckerRule rule, long count) {
        cases.merge(rule, count, Long::sum);
    }

    /** Records that a case violates a rule. */
    void violated(CheckerRule rule, long at, String description) {
        if (violations.merge(rule, 1L, Long::sum) <= DESCRIBED) {
            described.add(new Finding(rule, at, description));
        }
    }

    /** Records that a rule cannot be checked in this trial. The first reason is kept. */
    void notChecked(CheckerRule rule, String reason) {
        reasonsNotChecked.putIfAbsent(rule, reason);
    }

    Map<CheckerRule, Verdict> verdicts() {
        Map<CheckerRule, Verdict> verdicts = new EnumMap<>(CheckerRule.class);
        for (CheckerRule rule : CheckerRule.values()) {
            verdicts.put(rule, verdict(rule));
        }
        return verdicts;
    }

    private Verdict verdict(CheckerRule rule) {
        long checked = cases.getOrDefault(rule, 0L);
        long violated = violations.getOrDefault(rule, 0L);
        String reason = reasonsNotChecked.get(rule);
        if (violated > 0) {
            return new Verdict.Broken(checked, violated);
        }
        if (reason != null) {
            return new Verdict.NotChecked(reason);
        }
        return checked == 0 ? new Verdict.NotChecked("nothing of the kind happened") : new Verdict.Kept(checked);
    }

    List<Finding> all() {
        return List.copyOf(described);
    }
}
