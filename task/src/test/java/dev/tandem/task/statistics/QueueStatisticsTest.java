package dev.tandem.task.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.statistics.QueueStatistics.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueStatisticsTest {

    private static Point point(long minute, long started) {
        return new Point(
                minute,
                new RunTally(new long[] {started}, DurationHistogram.EMPTY, DurationHistogram.of(new long[] {1})));
    }

    @Test
    void pointsOfTheSameTimeAreOne() {
        QueueStatistics read =
                QueueStatistics.of(5, 1_000, 4, List.of(point(995, 1), point(999, 2), point(985, 4), point(996, 8)));

        assertThat(read.from()).isEqualTo(980);
        assertThat(read.points()).extracting(Point::start).containsExactly(985L, 995L);
        assertThat(read.points())
                .extracting(each -> each.tally().count(RunCount.STARTED))
                .containsExactly(4L, 11L);
        assertThat(read.total().count(RunCount.STARTED)).isEqualTo(15);
        assertThat(read.total().runs().count()).isEqualTo(4);
    }

    @Test
    void timesInWhichNothingHappenedHaveNoPoints() {
        QueueStatistics read = QueueStatistics.of(1, 100, 60, List.of(point(41, 1), point(99, 1)));
        assertThat(read.points()).extracting(Point::start).containsExactly(41L, 99L);
        assertThat(QueueStatistics.of(1, 100, 60, List.of()).total()).isEqualTo(RunTally.EMPTY);
    }

    @Test
    void whatIsOutsideOfTheTimeIsLeftOut() {
        QueueStatistics read = QueueStatistics.of(5, 1_000, 2, List.of(point(985, 1), point(990, 1), point(1_000, 1)));
        assertThat(read.points()).extracting(Point::start).containsExactly(990L);
    }

    @Test
    void stepsAreAsLongAsTheRangesThatAreMadeOfThem() {
        assertThat(StatisticsStep.MINUTE.minutes() * StatisticsStep.MINUTE.most())
                .isEqualTo(3 * 60);
        assertThat(StatisticsStep.FIVE_MINUTES.minutes() * StatisticsStep.FIVE_MINUTES.most())
                .isGreaterThanOrEqualTo(24 * 60);
        assertThat(StatisticsStep.HOUR.minutes() * StatisticsStep.HOUR.most()).isEqualTo(14 * 24 * 60);
    }
}
