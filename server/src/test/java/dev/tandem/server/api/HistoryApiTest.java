package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunTally;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The history of a queue over HTTP. */
class HistoryApiTest extends ApiTestBase {

    private static final String HISTORY = "/api/v1/queues/orders/history";

    private static Point point(long minute, long started, long waitMicros, long runMicros) {
        long[] counts = {started, started - 1, 0, 1};
        return new Point(minute, new RunTally(counts, durations(started, waitMicros), durations(started, runMicros)));
    }

    private static DurationHistogram durations(long count, long micros) {
        long[] counts = new long[DurationHistogram.BUCKETS];
        counts[DurationHistogram.bucketOf(micros)] = count;
        return DurationHistogram.of(counts);
    }

    @Test
    void pointsHaveCountsAndPercentiles() {
        PLATFORM.statistics.put(
                "orders",
                List.of(
                        point(NOW_MINUTE - 10, 30, 2_000_000, 50),
                        point(NOW_MINUTE, 10, 5_000, 50),
                        point(NOW_MINUTE - 60, 1, 1, 1)));

        JsonNode history = get(HISTORY, 200);

        assertThat(history.path("range").asString()).isEqualTo("1h");
        assertThat(history.path("stepSeconds").asInt()).isEqualTo(60);
        assertThat(history.path("from").asString()).isEqualTo("2027-01-15T07:08:00Z");
        assertThat(history.path("until").asString()).isEqualTo("2027-01-15T08:08:00Z");
        assertThat(history.path("percentileError").asDouble()).isEqualTo(0.0905);
        assertThat(history.path("points").size())
                .as("nothing of an hour ago or longer")
                .isEqualTo(2);
        JsonNode first = history.path("points").path(0);
        assertThat(first.path("at").asString()).isEqualTo("2027-01-15T07:57:00Z");
        assertThat(first.path("started").asLong()).isEqualTo(30);
        assertThat(first.path("succeeded").asLong()).isEqualTo(29);
        assertThat(first.path("dead").asLong()).isEqualTo(1);
        assertThat(first.path("waits").path("count").asLong()).isEqualTo(30);
        assertThat(first.path("waits").path("p50Millis").asDouble()).isBetween(1_830.0, 2_180.0);
        assertThat(first.path("runs").path("p99Millis").asDouble()).isBetween(0.045, 0.055);
        JsonNode total = history.path("total");
        assertThat(total.has("at")).isFalse();
        assertThat(total.path("started").asLong()).isEqualTo(40);
        assertThat(total.path("waits").path("p99Millis").asDouble()).isGreaterThan(1_830);
    }

    @ParameterizedTest
    @CsvSource({"1h,,60", "3h,,60", "24h,,300", "14d,,3600", "1h,5m,300", "24h,1h,3600", "14d,1d,86400", "14d,12h,43200"
    })
    void rangesHaveTheirOwnStepsUnlessAskedForLongerOnes(String range, String step, int seconds) {
        PLATFORM.statistics.put("orders", List.of(point(NOW_MINUTE, 7, 1, 1)));

        JsonNode history = get(HISTORY + "?range=" + range + (step == null ? "" : "&step=" + step), 200);

        assertThat(history.path("stepSeconds").asInt()).isEqualTo(seconds);
        assertThat(history.path("total").path("started").asLong()).isEqualTo(7);
    }

    @Test
    void aQueueOfWhichNothingIsKnownHasNoPoints() {
        JsonNode history = get("/api/v1/queues/mail/history?range=14d", 200);
        assertThat(history.path("points")).isEmpty();
        assertThat(history.path("total").path("started").asLong()).isZero();
        assertThat(history.path("total").has("waits")).isFalse();
        get("/api/v1/queues/none/history", 404);
    }

    @ParameterizedTest
    @CsvSource({
        "range=1d,Use 1h",
        "step=7m,a multiple of 1m",
        "step=0m,a multiple of 1m",
        "range=24h&step=1m,a multiple of 5m",
        "step=2h,a multiple of 1m",
        "step=99999d,a multiple of 1m",
        "range=14d&step=5m,a multiple of 60m"
    })
    void wrongTimesAreRefused(String query, String remedy) {
        assertThat(get(HISTORY + "?" + query, 400).path("remedy").asString()).contains(remedy);
    }
}
