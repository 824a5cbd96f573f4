package dev.tandem.verify;

import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Finding;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * What came of a run, as Markdown for people or as JSON for scripts.
 *
 * @param version of Tandem
 * @param date of the run
 * @param seed from which all trials follow
 * @param extent how many trials there were, and what there was no time for
 */
record VerifyReport(
        String version,
        String date,
        long seed,
        String machine,
        String extent,
        List<String> brokers,
        TrialSettings sizes,
        List<TrialResult> results) {

    private static final int TOLD = 40;

    /** Some trials of one fault and one workload, put together. */
    private record Line(String fault, String workload, List<TrialResult> results) {

        List<TrialStatistics> figures() {
            return results.stream()
                    .map(TrialResult::judgement)
                    .filter(Objects::nonNull)
                    .map(Judgement::figures)
                    .toList();
        }

        long sum(ToLongFunction<TrialStatistics> of) {
            return figures().stream().mapToLong(of).sum();
        }
    }

    /** At least one trial was carried out, and all that were are good. */
    boolean good() {
        return results.stream().allMatch(TrialResult::good) && results.stream().anyMatch(TrialResult::tried);
    }

    private List<Line> lines() {
        Map<String, Line> lines = new LinkedHashMap<>();
        for (TrialResult result : results) {
            String fault = result.fault().name();
            String workload = result.workload().text();
            lines.computeIfAbsent(fault + " " + workload, name -> new Line(fault, workload, new ArrayList<>()))
                    .results()
                    .add(result);
        }
        List<String> faults = Fault.all().stream().map(Fault::name).toList();
        // In the order of the list, and combinations that it does not have behind it.
        return lines.values().stream()
                .sorted(Comparator.comparingInt((Line line) ->
                                faults.contains(line.fault()) ? faults.indexOf(line.fault()) : Integer.MAX_VALUE)
                        .thenComparing(Line::fault)
                        .thenComparing(line -> Workload.of(line.workload())))
                .toList();
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "Tandem %s, %s, seed %d. Lease %s, %d executors, %d tasks a second, %d partitions. %s%n%n%s%n",
                version,
                date,
                seed,
                seconds(sizes.lease().toNanos()),
                sizes.executors(),
                sizes.perSecond(),
                sizes.partitions(),
                extent,
                machine));
        brokers.forEach(broker -> text.append("- ").append(broker).append('\n'));
        text.append('\n').append(table(trials())).append('\n').append(table(rules()));
        text.append('\n').append(table(budgets()));
        appendTrouble(text);
        return text.toString();
    }

    private List<List<String>> trials() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "fault",
                "workload",
                "trials",
                "rounds (hit)",
                "tasks",
                "runs",
                "cut off",
                "duplicates",
                "recovery p50",
                "max",
                "longest wait",
                "verdict"));
        for (Line line : lines()) {
            List<Long> recoveries = line.figures().stream()
                    .flatMap(each -> each.recoveries().stream())
                    .sorted()
                    .toList();
            rows.add(List.of(
                    line.fault(),
                    line.workload(),
                    Long.toString(
                            line.results().stream().filter(TrialResult::tried).count()),
                    line.sum(TrialStatistics::rounds) + " (" + line.sum(TrialStatistics::hits) + ")",
                    Long.toString(line.sum(TrialStatistics::published)),
                    Long.toString(line.sum(TrialStatistics::runs)),
                    Long.toString(line.sum(TrialStatistics::interrupted)),
                    duplicates(line),
                    recoveries.isEmpty() ? "" : seconds(recoveries.get((recoveries.size() - 1) / 2)),
                    recoveries.isEmpty() ? "" : seconds(recoveries.get(recoveries.size() - 1)),
                    seconds(line.figures().stream()
                            .mapToLong(TrialStatistics::longestWait)
                            .max()
                            .orElse(0)),
                    verdict(line)));
        }
        return rows;
    }

    private static String duplicates(Line line) {
        Map<String, Long> all = new TreeMap<>();
        line.figures().forEach(each -> each.duplicates().forEach((why, count) -> all.merge(why, count, Long::sum)));
        return all.isEmpty()
                ? "0"
                : all.entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey())
                        .collect(Collectors.joining(", "));
    }

    private static String verdict(Line line) {
        Set<String> bad = new TreeSet<>();
        int failed = 0;
        for (TrialResult result : line.results()) {
            if (!result.tried()) {
                return "not tried: " + result.problem();
            }
            Judgement judgement = result.judgement();
            if (judgement == null) {
                bad.add("NOT CARRIED OUT");
                failed++;
            } else if (!judgement.passed()) {
                failed++;
                judgement.verdicts().forEach((rule, verdict) -> {
                    if (verdict instanceof Verdict.Broken) {
                        bad.add(rule == CheckerRule.NOT_VACUOUS ? "VACUOUS" : rule.name());
                    }
                });
            }
        }
        return bad.isEmpty() ? "passed" : "FAILED " + failed + "×: " + String.join(", ", bad);
    }

    private List<List<String>> rules() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("guarantee", "rule", "kept", "cases", "broken", "not checked"));
        for (CheckerRule rule : CheckerRule.values()) {
            long kept = 0;
            long cases = 0;
            long broken = 0;
            Map<String, Long> omitted = new TreeMap<>();
            for (TrialResult result : results) {
                Judgement judgement = result.judgement();
                Verdict verdict =
                        judgement == null ? null : judgement.verdicts().get(rule);
                if (verdict instanceof Verdict.Kept well) {
                    kept++;
                    cases += well.cases();
                } else if (verdict instanceof Verdict.Broken bad) {
                    broken++;
                    cases += bad.cases();
                } else if (verdict instanceof Verdict.NotChecked not) {
                    omitted.merge(not.why(), 1L, Long::sum);
                }
            }
            rows.add(List.of(
                    rule.guarantee() == 0 ? "" : Integer.toString(rule.guarantee()),
                    rule.text(),
                    kept + " trials",
                    Long.toString(cases),
                    Long.toString(broken),
                    omitted.entrySet().stream()
                            .map(each -> each.getValue() + ": " + each.getKey())
                            .collect(Collectors.joining("; "))));
        }
        return rows;
    }

    private List<List<String>> budgets() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("budget", "at most", "measured", "reached"));
        for (TimeBudgets.Line line : TimeBudgets.of(results, sizes.lease())) {
            rows.add(List.of(
                    line.what(),
                    line.atMost(),
                    line.measured() == null ? "not measured" : line.measured(),
                    line.measured() == null ? "" : line.reached() ? "yes" : "no"));
        }
        return rows;
    }

    private void appendTrouble(StringBuilder text) {
        int told = 0;
        for (TrialResult result : results) {
            Judgement judgement = result.judgement();
            if (result.good()) {
                continue;
            }
            text.append(String.format(
                    Locale.ROOT,
                    "%n%s × %s, --trial-seed %d, events in %s%n",
                    result.fault().name(),
                    result.workload(),
                    result.seed(),
                    result.folder()));
            if (judgement == null) {
                text.append("- not carried out: ").append(result.problem()).append('\n');
                continue;
            }
            for (Finding violation : judgement.violations()) {
                if (told++ < TOLD) {
                    text.append("- ")
                            .append(violation.rule())
                            .append(": ")
                            .append(violation.text())
                            .append('\n');
                }
            }
        }
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    private static String table(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            row(text, rows.get(i), widths);
            if (i == 0) {
                List<String> rule = new ArrayList<>();
                for (int width : widths) {
                    rule.add("-".repeat(width));
                }
                row(text, rule, widths);
            }
        }
        return text.toString();
    }

    private static void row(StringBuilder text, List<String> cells, int[] widths) {
        text.append('|');
        for (int i = 0; i < cells.size(); i++) {
            text.append(' ')
                    .append(cells.get(i))
                    .append(" ".repeat(widths[i] - cells.get(i).length()))
                    .append(" |");
        }
        text.append('\n');
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("version", version);
        all.put("date", date);
        all.put("seed", seed);
        all.put("machine", machine);
        all.put("extent", extent);
        all.put("brokers", brokers);
        all.put("good", good());
        all.put("trials", results.stream().map(VerifyReport::json).toList());
        all.put(
                "budgets",
                TimeBudgets.of(results, sizes.lease()).stream()
                        .map(line -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("what", line.what());
                            one.put("atMost", line.atMost());
                            one.put("measured", line.measured());
                            one.put("reached", line.reached());
                            return one;
                        })
                        .toList());
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(all);
    }

    private static Map<String, Object> json(TrialResult result) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("fault", result.fault().name());
        one.put("workload", result.workload().text());
        one.put("seed", result.seed());
        one.put("tried", result.tried());
        one.put("good", result.good());
        if (result.problem() != null) {
            one.put("problem", result.problem());
        }
        Judgement judgement = result.judgement();
        if (judgement != null) {
            Map<String, Object> verdicts = new LinkedHashMap<>();
            for (CheckerRule rule : CheckerRule.values()) {
                verdicts.put(
                        rule.name(),
                        judgement.verdicts().get(rule) instanceof Verdict.Kept
                                ? "kept"
                                : judgement.verdicts().get(rule) instanceof Verdict.Broken ? "broken" : "not checked");
            }
            one.put("verdicts", verdicts);
            one.put(
                    "violations",
                    judgement.violations().stream().map(Finding::text).toList());
            TrialStatistics figures = judgement.figures();
            one.put("published", figures.published());
            one.put("unsure", figures.unsure());
            one.put("runs", figures.runs());
            one.put("succeeded", figures.succeeded());
            one.put("dead", figures.dead());
            one.put("held", figures.held());
            one.put("cutOff", figures.interrupted());
            one.put("duplicates", figures.duplicates());
            one.put("rounds", figures.rounds());
            one.put("hits", figures.hits());
            one.put(
                    "recoveriesMillis",
                    figures.recoveries().stream()
                            .map(each -> each / 1_000_000)
                            .sorted()
                            .toList());
            one.put("longestWaitMillis", figures.longestWait() / 1_000_000);
            one.put("waitP99Millis", figures.waitP99() < 0 ? null : figures.waitP99() / 1_000_000.0);
            one.put("commitLagMillis", figures.lag() < 0 ? null : figures.lag() / 1_000_000);
        }
        return one;
    }
}
