package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what the command line says of limits and rate limits. */
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
    void limitsAndRateLimitsAreListed() {
        server.answers.put("GET /api/v1/limits", "{\"limits\": [" + LIMIT + "}], \"rateLimits\": [" + RATE + "]}");

        assertThat(server.run("limits")).isZero();

        assertThat(server.out.toString()).isEqualTo("""
                LIMIT  MAX  HELD  RUNNING  WAITING
                erp      5     2        1        3

                RATE LIMIT  RATE  BURST  PER            IN USE  PAUSED
                mails       5/m       1  header:tenant       2       1
                """);
    }

    @Test
    void anOlderServerSaysNothingOfRateLimits() {
        server.answers.put("GET /api/v1/limits", "{\"limits\": []}");

        assertThat(server.run("limits")).isZero();

        assertThat(server.out.toString()).isEqualTo("LIMIT  MAX  HELD  RUNNING  WAITING\n");
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
