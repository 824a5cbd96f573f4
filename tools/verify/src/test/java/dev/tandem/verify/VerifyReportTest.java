package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Finding;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.TrialStatistics;
import dev.tandem.verify.check.Verdict;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The report shows what was checked, what was not checked, and what was not tried. */
class VerifyReportTest {

    private static Judgement judgement(Map<CheckerRule, Verdict> others, List<Long> recoveries) {
        Map<CheckerRule, Verdict> verdicts = new EnumMap<>(CheckerRule.class);
        for (CheckerRule rule : CheckerRule.values()) {
            verdicts.put(rule, new Verdict.Kept(7));
        }
        verdicts.putAll(others);
        List<Finding> findings = others.entrySet().stream()
                .filter(each -> each.getValue() instanceof Verdict.Broken)
                .map(each -> new Finding(each.getKey(), 1, "k1-1 did what it must not"))
                .toList();
        return new Judgement(
                verdicts,
                findings,
                new TrialStatistics(
                        100,
                        1,
                        105,
                        99,
                        1,
                        0,
                        3,
                        Map.of("killed", 2L),
                        1,
                        1,
                        recoveries,
                        2_500_000_000L,
                        1_000_000,
                        1));
    }

    private static TrialResult done(String fault, Judgement judgement) {
        return new TrialResult(Fault.of(fault), Workload.KAFKA_ZIPF, 42, judgement, null, true, Path.of("there"));
    }

    private static VerifyReport report(TrialResult... results) {
        TrialSettings settings = new TrialSettings(
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                150,
                2,
                6,
                Duration.ZERO,
                1,
                0,
                Duration.ZERO,
                Duration.ofMinutes(1));
        return new VerifyReport(
                "1", "today", 5, "a machine", "Some trials.", List.of("a broker"), settings, List.of(results));
    }

    @Test
    void showsKeptRulesWithStatistics() {
        VerifyReport report = report(done("kill", judgement(Map.of(), List.of(1_000_000_000L, 9_000_000_000L))));
        assertThat(report.good()).isTrue();
        assertThat(report.markdown())
                .contains("seed 5", "a machine", "- a broker")
                .containsPattern(
                        "\\| kill +\\| kafka-zipf \\| 1 +\\| 1 \\(1\\) +\\| 100 +\\| 105 +\\| 3 +\\| 2 killed +\\|"
                                + " 1.0 s +\\| 9.0 s \\| 2.5 s +\\| passed")
                .containsPattern("kill -9: all its tasks run again, p99 \\(Kafka\\) +\\| 15.0 s +\\| 9.0 s +\\| yes")
                .containsPattern("kill -9: all its tasks run again, p99 \\(RabbitMQ\\) +\\| 15.0 s +\\| not measured");
    }

    @Test
    void showsFindingsAndWhereTheEventsAre() {
        VerifyReport report = report(
                done("kill", judgement(Map.of(), List.of())),
                done("kill", judgement(Map.of(CheckerRule.ORDER, new Verdict.Broken(7, 1)), List.of())));
        assertThat(report.good()).isFalse();
        assertThat(report.markdown())
                .contains("FAILED 1×: ORDER", "--trial-seed 42, events in there", "- ORDER: k1-1 did what it must not");
        assertThat(report.json()).contains("\"good\" : false", "\"ORDER\" : \"broken\"", "\"TOKENS\" : \"kept\"");
    }

    @Test
    void showsWhyARuleWasNotChecked() {
        VerifyReport report = report(done(
                "kill", judgement(Map.of(CheckerRule.CUSTODY, new Verdict.NotChecked("nobody could say")), List.of())));
        assertThat(report.good()).isTrue();
        assertThat(report.markdown())
                .containsPattern(
                        "what was committed had ended or was held +\\| 0 trials +\\| 0 +\\| 0 +\\| 1: nobody could say");
        assertThat(report.json()).contains("\"CUSTODY\" : \"not checked\"");
    }

    @Test
    void failsIfAFaultHadNoEffect() {
        VerifyReport report =
                report(done("kill", judgement(Map.of(CheckerRule.NOT_VACUOUS, new Verdict.Broken(1, 1)), List.of())));
        assertThat(report.good()).isFalse();
        assertThat(report.markdown()).contains("FAILED 1×: VACUOUS");
    }

    @Test
    void showsWhatWasNotTriedAndFailsIfNothingWas() {
        TrialResult not = new TrialResult(
                Fault.of("redis-full"),
                Workload.KAFKA_ZIPF,
                1,
                null,
                "needs a Redis that verify starts itself",
                false,
                null);
        assertThat(report(not, done("kill", judgement(Map.of(), List.of()))).good())
                .isTrue();
        assertThat(report(not).good()).isFalse();
        assertThat(report(not).markdown()).contains("not tried: needs a Redis that verify starts itself");
    }
}
