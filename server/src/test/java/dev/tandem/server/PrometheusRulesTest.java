package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.Programs;
import dev.tandem.testkit.Programs.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The alert rules and the queries of the dashboard, read and evaluated by Prometheus's own tool. */
class PrometheusRulesTest {

    @TempDir
    private Path folder;

    @Test
    void prometheusTakesTheRules() {
        promtool("check", "rules", MonitoringFiles.RULES.toString());
    }

    @Test
    void everyAlertFiresWhenItShouldAndOnlyThen() {
        promtool("test", "rules", MonitoringFiles.RULE_TESTS.toString());
    }

    @Test
    void everyAlertHasATestInWhichItFiresAndOneInWhichItDoesNot() throws IOException {
        Set<String> fires = new TreeSet<>();
        Set<String> isSilent = new TreeSet<>();
        Map<String, Object> tests = new Yaml().load(Files.readString(MonitoringFiles.RULE_TESTS));
        for (Object test : (List<?>) tests.get("tests")) {
            for (Object each : (List<?>) ((Map<?, ?>) test).get("alert_rule_test")) {
                Map<?, ?> expectation = (Map<?, ?>) each;
                boolean silent = ((List<?>) expectation.get("exp_alerts")).isEmpty();
                (silent ? isSilent : fires).add((String) expectation.get("alertname"));
            }
        }

        assertThat(fires).isEqualTo(MonitoringFiles.alerts()).isEqualTo(isSilent);
    }

    /** A query is checked as a recording rule, which this tool parses without a server. */
    @Test
    void prometheusParsesEveryQueryOfTheDashboard() throws IOException {
        List<Map<String, Object>> rules = new ArrayList<>();
        for (String query : MonitoringFiles.queries("1m")) {
            Map<String, Object> rule = new LinkedHashMap<>();
            rule.put("record", "dashboard:query" + rules.size());
            rule.put("expr", query);
            rules.add(rule);
        }
        assertThat(rules).hasSizeGreaterThan(16);
        Path file = Files.writeString(
                folder.resolve("queries.yml"),
                new Yaml().dump(Map.of("groups", List.of(Map.of("name", "dashboard", "rules", rules)))));

        promtool("check", "rules", file.toString());
    }

    private static void promtool(String... arguments) {
        Programs.require("promtool");
        List<String> line = new ArrayList<>(List.of("promtool"));
        line.addAll(List.of(arguments));
        Result result = Programs.run(line, "");
        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("SUCCESS");
    }
}
