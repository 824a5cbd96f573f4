package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what the command line says of limits, rate limits and what runs. */
class LimitsCommandTest {

    private static final String LIMIT =
            "{\"name\": \"erp\", \"max\": 5, \"held\": 2, \"running\": 1, \"waiting\": 3, \"executors\": []";
    private static final String RATE = """
            {"name": "mails", "rate": "5/m", "burst": 1, "per": "header:tenant", "bucketsInUse": 2, "bucketsPaused": 1,
             "buckets": [{"bucket": "acme", "nextAt": "2026-11-20T10:00:00Z", "pausedUntil": "2026-11-20T09:59:00Z"},
                         {"nextAt": "2026-11-20T09:50:00Z"}]}""";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void runningTasksAreListedWithTheirWorkersAndProgress() {
        server.answers.put("GET /api/v1/queues/exports/running?executor=web%201&limit=100", """
                {"running": [
                  {"queue": "exports", "ref": "@3/1:17", "id": "e-1", "type": "pull", "attempt": 2, "executor": "web 1",
                   "since": "2026-11-20T10:00:00Z", "claimedUntil": "2026-11-20T10:00:40Z",
                   "worker": {"name": "php-2", "leaseUntil": "2026-11-20T10:01:00Z"},
                   "progress": {"done": 40, "total": 120, "text": "rows"}},
                  {"queue": "exports", "ref": "@3/1:18", "id": "e-2", "attempt": 1, "executor": "web 1",
                   "since": "2026-11-20T10:00:00Z", "claimedUntil": "2026-11-20T10:00:40Z", "waitsFor": "a permit of erp"}],
                 "claimed": 7, "partial": true, "silent": ["web 1"]}""");

        assertThat(server.run("running", "exports", "--executor", "web 1")).isZero();

        assertThat(server.out.toString())
                .containsPattern("QUEUE +ID +TYPE +KEY +ATTEMPT +SINCE .* +EXECUTOR +CLAIM UNTIL .* +WORKER +PROGRESS")
                .containsPattern("exports +e-1 +pull +- +2 .* web 1 .* php-2 +40/120 rows\n")
                .containsPattern("exports +e-2 +- +- +1 .* - +waits for a permit of erp\n")
                .contains("There may be others: executors have claimed 7 tasks.", "Without an answer from web 1:");
    }

    @Test
    void limitsAndRateLimitsAreListed() {
        server.answers.put("GET /api/v1/limits", "{\"limits\": [" + LIMIT + "}], \"rateLimits\": [" + RATE + "]}");

        assertThat(server.run("limits")).isZero();

        assertThat(server.out.toString()).isEqualTo("""
                LIMIT  MAX  HELD  RUNNING  WAITING  CHANGED
                erp      5     2        1        3        -

                RATE LIMIT  RATE  BURST  PER            IN USE  PAUSED  CHANGED
                mails       5/m       1  header:tenant       2       1        -
                """);
    }

    @Test
    void anOlderServerSaysNothingOfRateLimits() {
        server.answers.put("GET /api/v1/limits", "{\"limits\": []}");

        assertThat(server.run("limits")).isZero();

        assertThat(server.out.toString())
                .startsWith("LIMIT  MAX  HELD  RUNNING  WAITING  CHANGED\n\nNo limit is set")
                .contains("docs/flow-control.md", "tandem.queues.<queue>.max-running: 2", "tandem.rate-limits.<name>");
    }

    @Test
    void aChangedLimitSaysFromWhatByWhomAndWhen() {
        String override = ", \"override\": {\"by\": \"alice\", \"at\": \"2026-11-20T10:00:00Z\"}";
        server.answers.put(
                "GET /api/v1/limits",
                "{\"limits\": [" + LIMIT + ", \"configured\": 50" + override + "}], \"rateLimits\": ["
                        + RATE.replace(
                                "\"per\"", "\"configured\": {\"rate\": \"1/h\", \"burst\": 2}" + override + ", \"per\"")
                        + "]}");

        assertThat(server.run("limits")).isZero();

        assertThat(server.out.toString())
                .containsPattern("erp +5 +2 +1 +3 +from 50 by alice at 2026-11-\\d\\d ")
                .containsPattern("mails +5/m .* from 1/h burst 2 by alice at 2026-11-");
    }

    @Test
    void numbersOfLimitsAreSetAndReset() {
        server.answers.put(
                "PUT /api/v1/limits/queue%3Aorders/override",
                "{\"name\": \"queue:orders\", \"limit\": {\"maxRunning\": 20, \"maxRunningBefore\": 50, \"running\": 37}}");
        server.answers.put(
                "PUT /api/v1/limits/mails/override",
                "{\"name\": \"mails\", \"rateLimit\": {\"rate\": \"10/s\", \"burst\": 3, \"rateBefore\": \"5/m\", \"burstBefore\": 3}}");
        server.answers.put(
                "DELETE /api/v1/limits/erp/override",
                "{\"name\": \"erp\", \"limit\": {\"maxRunningBefore\": 7, \"running\": 2}}");

        assertThat(server.run("limits", "set", "queue:orders", "--max-running", "20"))
                .isZero();
        assertThat(server.run("limits", "set", "mails", "--rate", "10/s", "--burst", "3"))
                .isZero();
        assertThat(server.run("limits", "reset", "erp")).isZero();

        assertThat(server.requests)
                .containsExactly(
                        "PUT /api/v1/limits/queue%3Aorders/override {\"maxRunning\":20}",
                        "PUT /api/v1/limits/mails/override {\"rate\":\"10/s\",\"burst\":3}",
                        "DELETE /api/v1/limits/erp/override");
        assertThat(server.out.toString()).isEqualTo("""
                queue:orders: at most 20 at once, before at most 50 at once
                37 run. None starts until 18 have ended
                mails: 10/s with a burst of 3, before 5/m with a burst of 3
                erp: what the settings of its executors say, before at most 7 at once
                """);
    }

    @Test
    void eitherANumberOfTasksOrARateIsSet() {
        assertThat(server.run("limits", "set", "erp")).isEqualTo(CliException.USAGE);
        assertThat(server.run("limits", "set", "erp", "--burst", "3")).isEqualTo(CliException.USAGE);
        assertThat(server.run("limits", "set", "erp", "--max-running", "3", "--rate", "1/s"))
                .isEqualTo(CliException.USAGE);
        assertThat(server.requests).isEmpty();
    }

    @Test
    void aRateLimitIsShownWithItsBuckets() {
        server.answers.put("GET /api/v1/limits/mails", "{\"name\": \"mails\", \"rateLimit\": " + RATE + "}");

        assertThat(server.run("limits", "mails")).isZero();

        assertThat(server.out.toString())
                .startsWith("RATE LIMIT  RATE  BURST")
                .contains("BUCKET  NEXT TASK (", "PAUSED UNTIL (")
                .containsPattern("acme +2026-11-\\d\\d \\d\\d:\\d\\d:00 +2026-11-\\d\\d \\d\\d:\\d\\d:00\n")
                .containsPattern("- +2026-11-\\d\\d \\d\\d:\\d\\d:00 +-\n");
    }

    @Test
    void aLimitAndARateLimitOfOneNameAreShownTogether() {
        server.answers.put("GET /api/v1/limits/erp", LIMIT + ", \"rateLimit\": " + RATE + "}");

        assertThat(server.run("limits", "erp")).isZero();

        assertThat(server.out.toString()).contains("LIMIT  MAX", "EXECUTOR", "RATE LIMIT", "BUCKET");
    }
}
