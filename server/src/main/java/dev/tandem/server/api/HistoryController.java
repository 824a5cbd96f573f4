package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows what became of the runs of a queue, and how long they waited and took. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/history")
final class HistoryController {

    private static final MathContext SHOWN = new MathContext(3);

    /**
     * The outcomes of the runs of a queue in a time.
     *
     * @param range the time, up to now
     * @param stepSeconds how long a point is
     * @param from when the first point begins
     * @param until when the last point ends; it is in progress
     * @param percentileError how far a percentile may be off, as a share of it
     * @param points those in which something happened, in their order. There are none of a time in which nothing did
     * @param total all of them together
     */
    record View(
            String queue,
            String range,
            int stepSeconds,
            Instant from,
            Instant until,
            double percentileError,
            List<Point> points,
            Point total) {}

    /**
     * The outcomes of the runs of a point, or of all points.
     *
     * @param at when the point begins; absent for all together
     * @param started handlers that began, and tasks that pull workers got
     * @param succeeded runs that succeeded
     * @param retried attempts that failed, and will be followed by another
     * @param dead tasks that died
     * @param expired tasks whose time was over
     * @param cancelled tasks that were cancelled while an executor had them
     * @param duplicates tasks that ended as duplicates
     * @param waits how long tasks waited for their first starts, since they were published, or since their earliest starts
     * @param runs how long handlers ran
     */
    record Point(
            @Nullable Instant at,
            long started,
            long succeeded,
            long retried,
            long dead,
            long expired,
            long cancelled,
            long duplicates,
            @Nullable Durations waits,
            @Nullable Durations runs) {

        static Point of(@Nullable Instant at, RunTally tally) {
            return new Point(
                    at,
                    tally.count(RunCount.STARTED),
                    tally.count(RunCount.SUCCEEDED),
                    tally.count(RunCount.RETRIED),
                    tally.count(RunCount.DEAD),
                    tally.count(RunCount.EXPIRED),
                    tally.count(RunCount.CANCELLED),
                    tally.count(RunCount.DUPLICATES),
                    Durations.of(tally.waits()),
                    Durations.of(tally.runs()));
        }
    }

    /**
     * Percentiles of durations.
     *
     * @param count how many durations there are
     * @param p50Millis what half of them did not exceed, in milliseconds
     * @param p90Millis what 90% of them did not exceed
     * @param p95Millis what 95% of them did not exceed
     * @param p99Millis what 99% of them did not exceed
     */
    record Durations(long count, double p50Millis, double p90Millis, double p95Millis, double p99Millis) {

        static @Nullable Durations of(DurationHistogram histogram) {
            return histogram.count() == 0
                    ? null
                    : new Durations(
                            histogram.count(),
                            millis(histogram, 0.5),
                            millis(histogram, 0.9),
                            millis(histogram, 0.95),
                            millis(histogram, 0.99));
        }

        private static double millis(DurationHistogram histogram, double share) {
            return BigDecimal.valueOf(histogram.percentileMicros(share) / 1_000)
                    .round(SHOWN)
                    .doubleValue();
        }
    }

    private final ConfiguredQueues queues;
    private final StatisticsReader statistics;

    HistoryController(ConfiguredQueues queues, StatisticsReader statistics) {
        this.queues = queues;
        this.statistics = statistics;
    }

    @GetMapping
    View history(
            @PathVariable String queue,
            @RequestParam(defaultValue = "1h") String range,
            @RequestParam(required = false) @Nullable String step) {
        queues.get(queue);
        HistoryRange chosen = HistoryRange.of(range);
        int minutes = chosen.stepMinutes(step);
        QueueStatistics read = statistics.read(queue, chosen.kept(), minutes, chosen.points(minutes));
        return new View(
                queue,
                chosen.toString(),
                minutes * 60,
                instant(read.from()),
                instant(read.until()),
                BigDecimal.valueOf(DurationHistogram.MAX_ERROR).round(SHOWN).doubleValue(),
                read.points().stream()
                        .map(each -> Point.of(instant(each.start()), each.tally()))
                        .toList(),
                Point.of(null, read.total()));
    }

    private static Instant instant(long minute) {
        return Instant.ofEpochSecond(TimeUnit.MINUTES.toSeconds(minute));
    }
}
