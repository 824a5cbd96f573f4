package dev.tandem.verify;

import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Finding;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** Writes a report as JSON, for scripts. */
final class JsonReport {

    private JsonReport() {}

    static String of(VerifyReport report) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", report.version());
        json.put("date", report.date());
        json.put("seed", report.seed());
        json.put("machine", report.machine());
        json.put("extent", report.extent());
        json.put("brokers", report.brokers());
        json.put("good", report.good());
        json.put("trials", report.results().stream().map(JsonReport::trial).toList());
        json.put("budgets", report.budgets().stream().map(JsonReport::budget).toList());
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(json);
    }

    private static Map<String, Object> trial(TrialResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("fault", result.fault().name());
        json.put("workload", result.workload().label());
        json.put("seed", result.seed());
        json.put("tried", result.tried());
        json.put("good", result.good());
        if (result.problem() != null) {
            json.put("problem", result.problem());
        }
        Judgement judgement = result.judgement();
        if (judgement != null) {
            Map<String, Object> verdicts = new LinkedHashMap<>();
            for (CheckerRule rule : CheckerRule.values()) {
                verdicts.put(
                        rule.name(),
                        verdict(Objects.requireNonNull(judgement.verdicts().get(rule), rule.name())));
            }
            json.put("verdicts", verdicts);
            json.put(
                    "violations",
                    judgement.findings().stream().map(Finding::description).toList());
            addStatistics(json, judgement.statistics());
        }
        return json;
    }

    private static String verdict(Verdict verdict) {
        if (verdict instanceof Verdict.Kept) {
            return "kept";
        }
        return verdict instanceof Verdict.Broken ? "broken" : "not checked";
    }

    private static void addStatistics(Map<String, Object> json, TrialStatistics statistics) {
        json.put("published", statistics.published());
        json.put("unsure", statistics.unacknowledged());
        json.put("runs", statistics.runs());
        json.put("succeeded", statistics.succeeded());
        json.put("dead", statistics.dead());
        json.put("held", statistics.held());
        json.put("cutOff", statistics.interrupted());
        json.put("duplicates", statistics.duplicates());
        json.put("rounds", statistics.rounds());
        json.put("hits", statistics.effectiveRounds());
        json.put(
                "recoveriesMillis",
                statistics.recoveries().stream()
                        .map(nanos -> nanos / 1_000_000)
                        .sorted()
                        .toList());
        json.put("longestWaitMillis", statistics.longestWait() / 1_000_000);
        json.put("waitP99Millis", statistics.waitP99() < 0 ? null : statistics.waitP99() / 1_000_000.0);
        json.put("commitLagMillis", statistics.commitLag() < 0 ? null : statistics.commitLag() / 1_000_000);
    }

    private static Map<String, Object> budget(TimeBudgets.Line line) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", line.what());
        json.put("atMost", line.limit());
        json.put("measured", line.measured());
        json.put("reached", line.reached());
        return json;
    }
}
