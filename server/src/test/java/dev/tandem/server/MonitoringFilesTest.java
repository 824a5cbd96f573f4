package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.queues.TaskMetrics;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.server.runtime.OperationMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files in {@code monitoring}. {@link ServerIT} compares their metrics with those of a server. */
class MonitoringFilesTest {

    private static final Path RUNBOOKS = Path.of("../docs/runbooks.md");
    private static final Path OPERATIONS = Path.of("../docs/operations.md");
    private static final Path PROTOCOL = Path.of("../docs/protocol.md");

    /** The first cell of a row of the table of metrics. */
    private static final Pattern DOCUMENTED = Pattern.compile("(?m)^\\| `tandem_[^|]*\\|");

    private static final Pattern NAME = Pattern.compile("tandem_[a-z_]+");

    /** The metric of a row of the table of alerts, whose first cell begins with a query. */
    private static final Pattern ALERT_WHEN =
            Pattern.compile("(?m)^\\| `(?:min|max|sum|rate|increase|absent)\\b[^|]*?(tandem_[a-z_]+)[^|]*\\|");

    @Test
    void everyAlertHasASeverityASummaryAndARunbook() throws IOException {
        List<String> alerts = new ArrayList<>();
        for (Map<String, Object> rule : rules()) {
            String alert = (String) rule.get("alert");
            alerts.add(alert);
            assertThat((String) rule.get("expr")).as(alert).contains("tandem_");
            assertThat(map(rule.get("labels")).get("severity")).as(alert).isIn("critical", "warning");
            Map<String, Object> annotations = map(rule.get("annotations"));
            assertThat((String) annotations.get("summary")).as(alert).isNotBlank();
            assertThat(annotations.get("runbook")).isEqualTo("docs/runbooks.md#" + alert.toLowerCase(Locale.ROOT));
        }
        assertThat(alerts).doesNotHaveDuplicates();
        assertThat(headings()).containsExactlyInAnyOrderElementsOf(alerts);
    }

    @Test
    void everyPanelOfTheDashboardHasATitleAndAQuery() throws IOException {
        JsonNode panels = JsonMapper.shared()
                .readTree(Files.readString(MonitoringFiles.DASHBOARD))
                .path("panels");

        assertThat(panels.size()).isPositive();
        for (JsonNode panel : panels) {
            assertThat(panel.path("title").asString()).isNotBlank();
            assertThat(panel.path("targets").size()).isPositive();
            panel.path("targets").forEach(target -> {
                String title = panel.path("title").asString();
                // A limit belongs to no queue, and the archive has those of all.
                String choice = title.endsWith("imits")
                        ? "by (limit)"
                        : title.startsWith("Archive") ? "tandem_archive_" : "queue=~\"$queue\"";
                assertThat(target.path("expr").asString()).contains("tandem_", choice);
            });
        }
    }

    @Test
    void theDashboardShowsEveryMetricOfTheProtocol() throws IOException {
        String dashboard = Files.readString(MonitoringFiles.DASHBOARD);

        assertThat(DOCUMENTED
                        .matcher(Files.readString(PROTOCOL))
                        .results()
                        .flatMap(row -> NAME.matcher(row.group()).results().map(MatchResult::group)))
                .hasSizeGreaterThan(15)
                .allSatisfy(metric -> assertThat(dashboard).contains(metric));
    }

    @Test
    void theRulesHaveEveryMetricForWhichOperationsNamesAnAlert() throws IOException {
        String rules = Files.readString(MonitoringFiles.RULES);

        assertThat(ALERT_WHEN.matcher(Files.readString(OPERATIONS)).results().map(row -> row.group(1)))
                .hasSizeGreaterThan(12)
                .allSatisfy(metric -> assertThat(rules).contains(metric));
    }

    @Test
    void rareMetricsHaveTheNamesThatTheFilesUse() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        TaskMetrics metrics = new TaskMetrics(registry, Map.of(), Set.of());
        metrics.timedOut("orders", "http");
        metrics.stuck("orders", "http");
        metrics.duplicate("orders");

        metrics.fannedOut("imports", 10_000);
        metrics.fanOutEnded("imports", "completed", 900);
        metrics.published("orders", 3);
        metrics.dropped("orders", 1);
        metrics.waiting("orders", "0", 500);
        metrics.lost("orders", 2);
        metrics.fired("nightly", "reports", 12);
        metrics.missed("nightly", "reports", 2);
        metrics.skipped("nightly", "reports");
        TaskSelection all = new TaskSelection(
                List.of(), null, null, null, false, null, null, null, null, null, null, null, null, false, null);
        new OperationMetrics(registry)
                .count(new Operation("orders", "o-1", Operation.Action.RETRY, all, false, null, null), 7, 1);

        assertThat(MonitoringFiles.exposed(registry.scrape())).containsAll(MonitoringFiles.RARE);
        assertThat(MonitoringFiles.metrics()).containsAll(MonitoringFiles.RARE);
    }

    private static List<Map<String, Object>> rules() throws IOException {
        Map<String, Object> file = new Yaml().load(Files.readString(MonitoringFiles.RULES));
        List<Map<String, Object>> rules = new ArrayList<>();
        for (Object group : (List<?>) file.get("groups")) {
            ((List<?>) map(group).get("rules")).forEach(rule -> rules.add(map(rule)));
        }
        return rules;
    }

    private static List<String> headings() throws IOException {
        return Files.readAllLines(RUNBOOKS).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
