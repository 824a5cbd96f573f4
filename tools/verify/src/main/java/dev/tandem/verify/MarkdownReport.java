package dev.tandem.verify;

import dev.tandem.kit.MarkdownTable;
import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Finding;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes a report as Markdown, for people. */
final class MarkdownReport {

    /** How many findings are shown in all. */
    private static final int SHOWN_FINDINGS = 40;

    private final VerifyReport report;

    MarkdownReport(VerifyReport report) {
        this.report = report;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "Tandem %s, %s, seed %d. Lease %s, %d executors, %d tasks a second, %d partitions. %s%n%n%s%n",
                report.version(),
                report.date(),
                report.seed(),
                Units.seconds(report.settings().lease()),
                report.settings().executors(),
                report.settings().perSecond(),
                report.settings().partitions(),
                report.extent(),
                report.machine()));
        report.brokers().forEach(broker -> text.append("- ").append(broker).append('\n'));
        text.append('\n').append(trials()).append('\n').append(rules());
        text.append('\n').append(budgets());
        appendFailures(text);
        return text.toString();
    }

    private MarkdownTable trials() {
        MarkdownTable table = new MarkdownTable(
                MarkdownTable.Rule.FULL,
                List.of(
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
        for (ResultGroup group : ResultGroup.of(report.results())) {
            table.row(List.of(
                    group.fault(),
                    group.workload().label(),
                    Long.toString(group.tried()),
                    group.sum(TrialStatistics::rounds) + " (" + group.sum(TrialStatistics::effectiveRounds) + ")",
                    Long.toString(group.sum(TrialStatistics::published)),
                    Long.toString(group.sum(TrialStatistics::runs)),
                    Long.toString(group.sum(TrialStatistics::interrupted)),
                    group.duplicates(),
                    group.recoveries().map(times -> Units.seconds(times.p50())).orElse(""),
                    group.recoveries().map(times -> Units.seconds(times.max())).orElse(""),
                    Units.seconds(group.max(TrialStatistics::longestWait)),
                    group.verdict()));
        }
        return table;
    }

    private MarkdownTable rules() {
        MarkdownTable table = new MarkdownTable(
                MarkdownTable.Rule.FULL, List.of("guarantee", "rule", "kept", "cases", "broken", "not checked"));
        for (CheckerRule rule : CheckerRule.values()) {
            table.row(rule(rule));
        }
        return table;
    }

    private List<String> rule(CheckerRule rule) {
        long kept = 0;
        long cases = 0;
        long broken = 0;
        Map<String, Long> notChecked = new TreeMap<>();
        for (TrialResult result : report.results()) {
            Judgement judgement = result.judgement();
            Verdict verdict = judgement == null ? null : judgement.verdicts().get(rule);
            if (verdict instanceof Verdict.Kept keptVerdict) {
                kept++;
                cases += keptVerdict.cases();
            } else if (verdict instanceof Verdict.Broken brokenVerdict) {
                broken++;
                cases += brokenVerdict.cases();
            } else if (verdict instanceof Verdict.NotChecked notCheckedVerdict) {
                notChecked.merge(notCheckedVerdict.reason(), 1L, Long::sum);
            }
        }
        return List.of(
                rule.guarantee() == 0 ? "" : Integer.toString(rule.guarantee()),
                rule.description(),
                kept + " trials",
                Long.toString(cases),
                Long.toString(broken),
                notChecked.entrySet().stream()
                        .map(entry -> entry.getValue() + ": " + entry.getKey())
                        .collect(Collectors.joining("; ")));
    }

    private MarkdownTable budgets() {
        MarkdownTable table =
                new MarkdownTable(MarkdownTable.Rule.FULL, List.of("budget", "at most", "measured", "reached"));
        for (TimeBudgets.Line line : report.budgets()) {
            String measured = line.measured();
            table.row(List.of(
                    line.what(),
                    line.limit(),
                    measured == null ? "not measured" : measured,
                    measured == null ? "" : line.reached() ? "yes" : "no"));
        }
        return table;
    }

    private void appendFailures(StringBuilder text) {
        int shown = 0;
        for (TrialResult result : report.results()) {
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
            Judgement judgement = result.judgement();
            if (judgement == null) {
                text.append("- not carried out: ").append(result.problem()).append('\n');
                continue;
            }
            for (Finding finding : judgement.findings()) {
                if (shown++ < SHOWN_FINDINGS) {
                    text.append("- ")
                            .append(finding.rule())
                            .append(": ")
                            .append(finding.description())
                            .append('\n');
                }
            }
        }
    }
}
