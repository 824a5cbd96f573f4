package dev.tandem.server.console;

import dev.tandem.server.api.HistoryRange;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The charts of a queue. Pure.
 *
 * @param range the time that they show
 * @param total everything in that time
 * @param all the charts, in the order of the page
 */
record QueueCharts(HistoryRange range, RunTally total, List<Chart> all) {

    /** The ranges between which a page lets choose. */
    static final List<HistoryRange> RANGES = List.of(HistoryRange.HOUR, HistoryRange.DAY, HistoryRange.TWO_WEEKS);

    /**
     * A chart.
     *
     * @param title the key of its title
     * @param json what the script of the console draws
     */
    record Chart(String title, String json) {}

    /** A line. @param name for people @param values one for each time; null where there is none */
    private record Line(String name, List<@Nullable Double> values) {}

    /** The data that the script draws. @param times in seconds since 1970 */
    private record Drawing(List<Long> times, List<Line> lines, String unit) {}

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final double[] SHARES = {0.5, 0.95, 0.99};

    /** @param texts gives the names of lines */
    static QueueCharts of(HistoryRange range, QueueStatistics read, Function<String, String> texts) {
        List<Long> times = new ArrayList<>();
        List<RunTally> tallies = new ArrayList<>();
        Map<Long, RunTally> known = new HashMap<>();
        read.points().forEach(point -> known.put(point.start(), point.tally()));
        for (long minute = read.from(); minute < read.until(); minute += read.stepMinutes()) {
            times.add(TimeUnit.MINUTES.toSeconds(minute));
            tallies.add(known.getOrDefault(minute, RunTally.EMPTY));
        }
        return new QueueCharts(
                range,
                read.total(),
                List.of(
                        chart(
                                "charts.ends",
                                times,
                                "count",
                                List.of(
                                        counts(texts.apply("charts.succeeded"), tallies, RunCount.SUCCEEDED),
                                        counts(texts.apply("charts.dead"), tallies, RunCount.DEAD),
                                        counts(texts.apply("charts.retried"), tallies, RunCount.RETRIED))),
                        chart("charts.waits", times, "ms", percentiles(tallies, RunTally::waits)),
                        chart("charts.runs", times, "ms", percentiles(tallies, RunTally::runs))));
    }

    private static Chart chart(String title, List<Long> times, String unit, List<Line> lines) {
        return new Chart(title, JSON.writeValueAsString(new Drawing(times, lines, unit)));
    }

    /** Leaves out the last point, which is in progress: its line would fall at its end. */
    private static Line counts(String name, List<RunTally> tallies, RunCount what) {
        List<@Nullable Double> values = new ArrayList<>();
        tallies.forEach(tally -> values.add((double) tally.count(what)));
        if (!values.isEmpty()) {
            values.set(values.size() - 1, null);
        }
        return new Line(name, values);
    }

    private static List<Line> percentiles(List<RunTally> tallies, Function<RunTally, DurationHistogram> of) {
        List<Line> lines = new ArrayList<>();
        for (double share : SHARES) {
            List<@Nullable Double> values = new ArrayList<>();
            for (RunTally tally : tallies) {
                values.add(millis(of.apply(tally), share));
            }
            lines.add(new Line("p" + Math.round(share * 100), values));
        }
        return lines;
    }

    /** Returns a percentile in milliseconds; null if there is nothing of which it could be one. */
    static @Nullable Double millis(DurationHistogram histogram, double share) {
        return histogram.count() == 0 ? null : Math.round(histogram.percentileMicros(share) / 10) / 100.0;
    }
}
