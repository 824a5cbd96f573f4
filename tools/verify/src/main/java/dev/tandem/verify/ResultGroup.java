package dev.tandem.verify;

import dev.tandem.kit.Percentiles;
import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The results of all trials of one fault under one workload: one row of the report. */
record ResultGroup(String fault, Workload workload, List<TrialResult> results) {

    /** Groups results, ordered as in the list of faults. Combinations that are not in the list follow it. */
    static List<ResultGroup> of(List<TrialResult> results) {
        Map<String, ResultGroup> groups = new LinkedHashMap<>();
        for (TrialResult result : results) {
            String fault = result.fault().name();
            groups.computeIfAbsent(
                            fault + " " + result.workload(),
                            name -> new ResultGroup(fault, result.workload(), new ArrayList<>()))
                    .results()
                    .add(result);
        }
        List<String> faults = Fault.all().stream().map(Fault::name).toList();
        return groups.values().stream()
                .sorted(Comparator.comparingInt((ResultGroup group) ->
                                faults.contains(group.fault()) ? faults.indexOf(group.fault()) : Integer.MAX_VALUE)
                        .thenComparing(ResultGroup::fault)
                        .thenComparing(ResultGroup::workload))
                .toList();
    }

    long tried() {
        return results.stream().filter(TrialResult::tried).count();
    }

    long sum(ToLongFunction<TrialStatistics> value) {
        return statistics().stream().mapToLong(value).sum();
    }

    long max(ToLongFunction<TrialStatistics> value) {
        return statistics().stream().mapToLong(value).max().orElse(0);
    }

    /** Returns the recovery times of all trials; empty if there was no recovery. */
    Optional<Percentiles> recoveries() {
        List<Long> recoveries = statistics().stream()
                .flatMap(statistics -> statistics.recoveries().stream())
                .toList();
        return recoveries.isEmpty() ? Optional.empty() : Optional.of(Percentiles.of(recoveries));
    }

    /** Describes the number of duplicates by what explains them. */
    String duplicates() {
        Map<String, Long> counts = new TreeMap<>();
        statistics()
                .forEach(statistics -> statistics
                        .duplicates()
                        .forEach((explanation, count) -> counts.merge(explanation, count, Long::sum)));
        return counts.isEmpty()
                ? "0"
                : counts.entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", "));
    }

    String verdict() {
        Set<String> violated = new TreeSet<>();
        int failed = 0;
        for (TrialResult result : results) {
            if (!result.tried()) {
                return "not tried: " + result.problem();
            }
            Judgement judgement = result.judgement();
            if (judgement == null) {
                violated.add("NOT CARRIED OUT");
                failed++;
            } else if (!judgement.passed()) {
                violated.addAll(violatedRules(judgement));
                failed++;
            }
        }
        return violated.isEmpty() ? "passed" : "FAILED " + failed + "×: " + String.join(", ", violated);
    }

    private static List<String> violatedRules(Judgement judgement) {
        return judgement.verdicts().entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Verdict.Broken)
                .map(entry -> entry.getKey() == CheckerRule.NOT_VACUOUS
                        ? "VACUOUS"
                        : entry.getKey().name())
                .toList();
    }

    private List<TrialStatistics> statistics() {
        return results.stream()
                .map(TrialResult::judgement)
                .filter(Objects::nonNull)
                .map(Judgement::statistics)
                .toList();
    }
}
