package dev.tandem.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** The alert rules and the dashboard that users load into Prometheus and Grafana. */
final class MonitoringFiles {

    static final Path RULES = Path.of("../monitoring/prometheus-rules.yml");
    static final Path RULE_TESTS = Path.of("../monitoring/prometheus-rules-test.yml");
    static final Path DASHBOARD = Path.of("../monitoring/grafana-dashboard.json");

    /**
     * A process has these metrics only once a handler did not end in time, a task was a duplicate or fanned out, a schedule was due,
     * an operation changed tasks, or a queue has events.
     */
    static final Set<String> RARE = Set.of(
            "tandem_task_timed_out_total",
            "tandem_task_stuck_total",
            "tandem_task_duplicates_total",
            "tandem_fan_out_subtasks_total",
            "tandem_fan_out_duration_seconds_count",
            "tandem_fan_out_duration_seconds_bucket",
            "tandem_operation_tasks_total",
            "tandem_events_published_total",
            "tandem_events_dropped_total",
            "tandem_events_waiting_bytes",
            "tandem_schedule_firings_total",
            "tandem_schedule_misfires_total",
            "tandem_schedule_skipped_total",
            "tandem_schedule_lateness_seconds_bucket",
            "tandem_statistics_lost_total");

    /** A process has these metrics only once it has posted a task, or a program has ended. */
    static final Set<String> OF_HOSTED_TASKS =
            Set.of("tandem_http_calls_seconds_count", "tandem_commands_seconds_count");

    /** Metrics that only a server with queues of pull workers has. */
    static final Set<String> OF_PULL_WORKERS =
            Set.of("tandem_leases", "tandem_leases_calls", "tandem_leases_lapsed_total", "tandem_leases_startable");

    /** A process has these metrics only if a queue has limits. */
    static final Set<String> OF_LIMITS = Set.of(
            "tandem_limit_held",
            "tandem_limit_max",
            "tandem_limit_running",
            "tandem_limit_waiting",
            "tandem_rate_limited_total",
            "tandem_rate_waiting");

    /** Metrics that only a server with an archive has. */
    static final Set<String> OF_ARCHIVE = Set.of(
            "tandem_archive_failing",
            "tandem_archive_lag_seconds",
            "tandem_archive_lost_total",
            "tandem_archive_refused_total",
            "tandem_archive_repeated_total",
            "tandem_archive_stored_total",
            "tandem_archive_waiting");

    private static final Pattern METRIC = Pattern.compile("\\btandem_[a-z_]+");
    private static final Pattern EXPOSED = Pattern.compile("(?m)^(tandem_[a-z_]+)[{ ]");

    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");

    private MonitoringFiles() {}

    /** Returns the names of the metrics that the files use. */
    static Set<String> metrics() throws IOException {
        Set<String> names = new TreeSet<>();
        METRIC.matcher(Files.readString(RULES) + Files.readString(DASHBOARD))
                .results()
                .forEach(found -> names.add(found.group()));
        return names;
    }

    /** Returns those of them that each server has with a queue whose tasks its own executor runs. */
    static Set<String> metricsOfEveryServer() throws IOException {
        Set<String> names = metrics();
        Stream.of(RARE, OF_LIMITS, OF_PULL_WORKERS, OF_HOSTED_TASKS, OF_ARCHIVE).forEach(names::removeAll);
        return names;
    }

    /** Returns the names of the metrics in an answer to Prometheus. */
    static Set<String> exposed(String scrape) {
        Set<String> names = new TreeSet<>();
        EXPOSED.matcher(scrape).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Returns the names of the alerts. */
    static Set<String> alerts() throws IOException {
        Set<String> names = new TreeSet<>();
        ALERT.matcher(Files.readString(RULES)).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Returns the queries of the dashboard, as Grafana sends them for all queues. */
    static List<String> queries(String rateInterval) throws IOException {
        List<String> queries = new ArrayList<>();
        JsonMapper.shared()
                .readTree(Files.readString(DASHBOARD))
                .path("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target -> queries.add(target.path("expr")
                                .asString()
                                .replace("$queue", ".*")
                                .replace("$__rate_interval", rateInterval))));
        return queries;
    }
}
