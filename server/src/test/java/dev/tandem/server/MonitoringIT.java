package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalProcess;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Programs;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The alert rules and the dashboard's queries in a real Prometheus, which scrapes a server. */
class MonitoringIT {

    private static final String QUEUE = UniqueNames.fresh("monitored");

    private static final Pattern SERIES = Pattern.compile("(\\w+)\\{(.*)}");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=");

    @TempDir
    private static Path folder;

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static RunningServer server;
    private static LocalProcess prometheus;
    private static String url;

    @BeforeAll
    static void start() throws IOException {
        Programs.require("prometheus");
        Map<String, String> settings = RunningServer.settings("kafka");
        settings.put("tandem.redis.namespace", UniqueNames.fresh("monitored"));
        settings.put("tandem.queues." + QUEUE + ".source", "kafka");
        settings.put("tandem.queues." + QUEUE + ".partitions", "2");
        settings.put("tandem.queues." + QUEUE + ".handler", "http");
        settings.put("tandem.queues." + QUEUE + ".http.url", "http://127.0.0.1:1/nobody-listens");
        settings.put("tandem.queues." + QUEUE + ".max-attempts", "1");
        settings.put("tandem.queues." + QUEUE + "-pulled.source", "kafka");
        settings.put("tandem.queues." + QUEUE + "-pulled.handler", "pull");
        settings.put("tandem.limits.erp.max-running", "5");
        settings.put("tandem.rate-limits.erp.rate", "100/s");
        server = new RunningServer(settings);
        String address = "127.0.0.1:" + freePort();
        url = "http://" + address;
        prometheus = LocalProcess.program(
                        "prometheus",
                        List.of(
                                "prometheus",
                                "--config.file=" + config(),
                                "--storage.tsdb.path=" + folder.resolve("data"),
                                "--web.listen-address=" + address))
                .directory(folder)
                .log(folder.resolve("prometheus.log"))
                .start();
        server.awaitHealth();
        server.post("/api/v1/queues/" + QUEUE + "/tasks", "{\"payload\": 1, \"key\": \"dies\"}");
        server.post("/api/v1/queues/" + QUEUE + "/tasks", "{\"payload\": 1, \"key\": \"late\", \"delay\": 100}");
    }

    @AfterAll
    static void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void everyQueryOfTheDashboardHasAnAnswer() throws IOException {
        for (String query : MonitoringFiles.queries("10s")) {
            boolean rare = Stream.of(MonitoringFiles.RARE, MonitoringFiles.OF_HOSTED_TASKS, MonitoringFiles.OF_ARCHIVE)
                    .flatMap(Set::stream)
                    .anyMatch(query::contains);
            await().alias(query)
                    .atMost(PATIENCE)
                    .until(() -> rare
                            || !get("query?query=" + UrlText.queryValue(query))
                                    .path("result")
                                    .isEmpty());
        }
    }

    @Test
    void onlyHealthAndMetricsAreExposed() {
        assertThat(server.get("/actuator/env").status()).isEqualTo(404);
        assertThat(server.get("/actuator/heapdump").status()).isEqualTo(404);
        JsonNode health = server.get("/actuator/health").json();
        assertThat(health.path("components").propertyNames()).contains("kafka", "rabbit", "redis", "queues");
    }

    @Test
    void theDashboardOffersTheQueue() {
        await().atMost(PATIENCE)
                .until(() -> get("label/queue/values?match[]=tandem_partitions".replace("[]", "%5B%5D"))
                        .toString()
                        .contains(QUEUE));
    }

    @Test
    void everyRuleIsEvaluatedAndTheDeadTaskIsSeen() throws IOException {
        await().atMost(PATIENCE).until(() -> "pending".equals(state("TandemDeadTasks")));
        // Groups are evaluated at different times, this one perhaps before the first scrape.
        await().atMost(PATIENCE).until(() -> "inactive".equals(state("TandemNoServer")));
        assertThat(rules().keySet()).isEqualTo(MonitoringFiles.alerts());
        assertThat(rules()).allSatisfy((alert, rule) -> {
            assertThat(rule.path("health").asString()).as(alert).isEqualTo("ok");
            if (!alert.equals("TandemDeadTasks")) {
                assertThat(rule.path("state").asString()).as(alert).isEqualTo("inactive");
            }
        });
    }

    /** The tests of the rules invent their series. They must have labels that real ones have. */
    @Test
    void theTestsOfTheRulesHaveTheLabelsOfRealSeries() throws IOException {
        Map<String, Object> tests = new Yaml().load(Files.readString(MonitoringFiles.RULE_TESTS));
        for (Object test : (List<?>) tests.get("tests")) {
            for (Object each : (List<?>) ((Map<?, ?>) test).get("input_series")) {
                var series = SERIES.matcher((String) ((Map<?, ?>) each).get("series"));
                assertThat(series.matches()).isTrue();
                String metric = series.group(1);
                if (!MonitoringFiles.RARE.contains(metric) && !MonitoringFiles.OF_ARCHIVE.contains(metric)) {
                    Set<String> labels = new TreeSet<>();
                    LABEL.matcher(series.group(2)).results().forEach(found -> labels.add(found.group(1)));
                    await().alias(metric).atMost(PATIENCE).until(() -> labels.equals(labels(metric)));
                }
            }
        }
    }

    private static Set<String> labels(String metric) {
        Set<String> labels = new TreeSet<>();
        for (JsonNode series : get("series?match%5B%5D=" + metric)) {
            labels.addAll(series.propertyNames());
        }
        labels.removeAll(Set.of("__name__", "job"));
        return labels;
    }

    private static String state(String alert) {
        JsonNode rule = rules().get(alert);
        return rule == null ? "unknown" : rule.path("state").asString();
    }

    private static Map<String, JsonNode> rules() {
        Map<String, JsonNode> rules = new TreeMap<>();
        get("rules")
                .path("groups")
                .forEach(group -> group.path("rules")
                        .forEach(rule -> rules.put(rule.path("name").asString(), rule)));
        return rules;
    }

    private static JsonNode get(String path) {
        try {
            HttpResponse<String> answer = HTTP.send(
                    HttpRequest.newBuilder(URI.create(url + "/api/v1/" + path)).build(), BodyHandlers.ofString());
            // 503 while it reads its files.
            return answer.statusCode() == 503
                    ? JsonMapper.shared().createObjectNode()
                    : JsonMapper.shared().readTree(answer.body()).path("data");
        } catch (IOException e) {
            return JsonMapper.shared().createObjectNode(); // it is about to start
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static Path config() throws IOException {
        return Files.writeString(folder.resolve("prometheus.yml"), """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: tandem
                    metrics_path: /actuator/prometheus
                    static_configs: [ { targets: ["%s"] } ]
                """.formatted(
                MonitoringFiles.RULES.toAbsolutePath().normalize(), server.url().replace("http://", "")));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
