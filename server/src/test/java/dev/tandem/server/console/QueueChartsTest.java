package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.api.HistoryRange;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunTally;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class QueueChartsTest {

    private static final long MINUTE = 30_000_007;

    private static Point point(long minute, long succeeded) {
        long[] buckets = new long[DurationHistogram.BUCKETS];
        buckets[DurationHistogram.bucketOf(20_000)] = succeeded;
        DurationHistogram runs = DurationHistogram.of(buckets);
        return new Point(minute, new RunTally(new long[] {succeeded, succeeded, 0, 0}, runs, runs));
    }

    private static JsonNode values(QueueCharts charts, int chart, int line) {
        return JsonMapper.shared()
                .readTree(charts.all().get(chart).json())
                .path("lines")
                .path(line)
                .path("values");
    }

    @Test
    void theMinuteUnderWayHasTimesButNoCounts() {
        List<Point> points = List.of(point(MINUTE - 1, 60), point(MINUTE, 7));
        QueueCharts charts =
                QueueCharts.of(HistoryRange.HOUR, QueueStatistics.of(1, MINUTE + 1, 60, points), name -> name);

        JsonNode succeeded = values(charts, 0, 0);
        assertThat(succeeded.size()).isEqualTo(60);
        assertThat(succeeded.path(57).asInt()).isZero();
        assertThat(succeeded.path(58).asInt()).isEqualTo(60);
        assertThat(succeeded.path(59).isNull()).isTrue();
        assertThat(values(charts, 2, 0).path(59).isNull()).isFalse();
    }
}
