package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the command line shows of the history of a queue. */
class HistoryCommandTest {

    private static final String ANSWER = """
            {"queue": "orders", "range": "24h", "stepSeconds": 3600, "from": "2026-11-20T10:00:00Z",
             "until": "2026-11-20T14:00:00Z", "points": [
             {"at": "2026-11-20T10:00:00Z", "started": 8, "succeeded": 7, "retried": 1, "dead": 0, "expired": 0,
              "cancelled": 0, "duplicates": 0, "waits": {"count": 8, "p50Millis": 12.3, "p95Millis": 90.1, "p99Millis": 65000.0},
              "runs": {"count": 8, "p50Millis": 0.05, "p95Millis": 1.5, "p99Millis": 2.0}},
             {"at": "2026-11-20T13:00:00Z", "started": 2, "succeeded": 2, "retried": 0, "dead": 0, "expired": 0,
              "cancelled": 0, "duplicates": 0}],
             "total": {"started": 10, "succeeded": 9, "retried": 1, "dead": 0}}""";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void linesAndPointsAreShown() {
        server.answers.put("GET /api/v1/queues/orders/history?range=24h&step=1h", ANSWER);

        assertThat(server.run("history", "orders")).isZero();

        String zone = ZoneId.systemDefault().getId();
        assertThat(server.out.toString())
                .startsWith("started  █▁▁▃  10\nfailed   █▁▁▁  1\n\n")
                .contains(
                        "FROM (" + zone + ")",
                        "STARTED  SUCCEEDED  RETRIED  DEAD  WAIT P50  WAIT P99  RUN P50  RUN P99")
                .containsPattern(at("10") + " +8 +7 +1 +0  12ms +65s +50us +2\\.0ms\n")
                .containsPattern(at("11") + " +0 +0 +0 +0  - +- +- +-\n")
                .containsPattern(at("13") + " +2 +2 +0 +0  - +- +- +-\n");
    }

    private static String at(String hour) {
        return DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss")
                .withZone(ZoneId.systemDefault())
                .format(Instant.parse("2026-11-20T" + hour + ":00:00Z"));
    }

    @Test
    void theRangeAndTheStepAreAskedFor() {
        server.answers.put("GET /api/v1/queues/orders/history?range=14d&step=1d", ANSWER);
        assertThat(server.run("history", "orders", "--range", "14d", "--step", "1d", "-o", "wide"))
                .isZero();
        assertThat(server.out.toString()).contains("EXPIRED", "WAIT P95", "90ms");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0ms",
        "0.05, 50us",
        "1, 1.0ms",
        "9.96, 10ms",
        "999.7, 1.0s",
        "65000, 65s",
        "120000, 2.0m",
        "7200000, 2.0h",
        "172800000, 2.0d"
    })
    void durationsHaveUnits(double millis, String shown) {
        assertThat(HistoryCommand.duration(millis)).isEqualTo(shown);
    }

    @Test
    void onlyNothingHasTheLowestBar() {
        assertThat(Sparkline.of(new long[] {0, 1, 1_000, 500, 0})).isEqualTo("▁▂█▅▁");
        assertThat(Sparkline.of(new long[] {1, 1})).isEqualTo("██");
        assertThat(Sparkline.of(new long[] {0})).isEqualTo("▁");
        assertThat(Sparkline.of(new long[0])).isEmpty();
    }
}
