package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.console.RecentEnds.Ends;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunTally;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecentEndsTest {

    private static final long MINUTE = 30_000_007;

    private Instant now = Instant.ofEpochSecond(MINUTE * 60 + 30);
    private final List<Point> points = new ArrayList<>();
    private final RecentEnds recent = new RecentEnds(this::read, () -> now);
    private boolean away;
    private int reads;

    private QueueStatistics read(String queue, Object kept, int step, int count) {
        if (away) {
            throw new UnavailableException("Redis is away", null);
        }
        reads++;
        return QueueStatistics.of(step, MINUTE + 1, count, queue.equals("q") ? points : List.of());
    }

    private void ended(long minute, long succeeded, long dead) {
        long[] counts = {succeeded + dead, succeeded, 99, dead};
        points.add(new Point(minute, new RunTally(counts, DurationHistogram.EMPTY, DurationHistogram.EMPTY)));
    }

    private Ends ends() {
        return recent.of(List.of("q", "idle")).getOrDefault("q", Ends.NONE);
    }

    @Test
    void countsSuccessesAndDeathsOfEachMinuteOfHalfAnHourWithoutTheOneUnderWay() {
        ended(MINUTE, 500, 0);
        ended(MINUTE - 1, 7, 1);
        ended(MINUTE - 2, 10, 0);
        ended(MINUTE - 30, 3, 0);
        ended(MINUTE - 31, 1_000, 0);

        assertThat(ends().counts())
                .hasSize(RecentEnds.COUNTS)
                .startsWith(3L, 0L)
                .endsWith(0L, 10L, 8L);
        assertThat(recent.of(List.of("q", "idle")).get("idle")).isEqualTo(Ends.NONE);
    }

    @Test
    void theRateIsThatOfTheLastMinuteAndTheOneThatIsUnderWay() {
        ended(MINUTE, 30, 0);
        ended(MINUTE - 1, 60, 0);
        assertThat(ends().perSecond()).isEqualTo(1.0);

        QueueStatistics read = QueueStatistics.of(1, MINUTE + 1, RecentEnds.COUNTS + 1, points);
        assertThat(Ends.of(read, now.plusSeconds(600)).perSecond())
                .as("the clock of Redis is behind")
                .isEqualTo(0.75);
        assertThat(Ends.of(read, now.minusSeconds(600)).perSecond())
                .as("the clock of Redis is ahead")
                .isEqualTo(1.5);
    }

    @Test
    void readsEveryFiveSecondsAtMostHoweverManyLook() {
        assertThat(ends()).isEqualTo(Ends.NONE);
        ended(MINUTE - 1, 5, 0);
        now = now.plusSeconds(4);
        assertThat(ends()).isEqualTo(Ends.NONE);
        assertThat(reads).as("of two queues").isEqualTo(2);

        now = now.plusSeconds(1);
        assertThat(ends().counts()).endsWith(5L);
        assertThat(reads).isEqualTo(4);
    }

    @Test
    void showsWhatItReadLastWhileRedisIsAway() {
        away = true;
        assertThat(recent.of(List.of("q"))).isEqualTo(Map.of());
        away = false;
        ended(MINUTE - 1, 5, 0);
        assertThat(ends().counts()).endsWith(5L);
        now = now.plusSeconds(60);
        away = true;
        assertThat(ends().counts()).endsWith(5L);
    }
}
