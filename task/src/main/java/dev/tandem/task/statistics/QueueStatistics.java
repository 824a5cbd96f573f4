package dev.tandem.task.statistics;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The statistics of a queue from some minute on. Immutable.
 *
 * @param stepMinutes how long a point is
 * @param from the beginning of the first point, in minutes since 1970
 * @param until the end of the last point, which may be in the future
 * @param points those in which something happened, in their order
 */
public record QueueStatistics(int stepMinutes, long from, long until, List<Point> points) {

    /** A point. @param start when it begins, in minutes since 1970 */
    public record Point(long start, RunTally tally) {}

    public QueueStatistics {
        points = List.copyOf(points);
    }

    /**
     * Puts what is known of a time into points, each once.
     *
     * @param until the end of the last point: a beginning of one
     * @param count how many points there are
     * @param known in any order; several may belong to one point, and those outside of the time are left out
     */
    public static QueueStatistics of(int stepMinutes, long until, int count, List<Point> known) {
        long from = until - (long) stepMinutes * count;
        Map<Long, RunTally> tallies = new TreeMap<>();
        for (Point each : known) {
            if (each.start() >= from && each.start() < until) {
                long start = each.start() - Math.floorMod(each.start() - from, (long) stepMinutes);
                tallies.merge(start, each.tally(), RunTally::plus);
            }
        }
        List<Point> points = tallies.entrySet().stream()
                .map(entry -> new Point(entry.getKey(), entry.getValue()))
                .toList();
        return new QueueStatistics(stepMinutes, from, until, points);
    }

    /** Returns all points as one tally. */
    public RunTally total() {
        return points.stream().map(Point::tally).reduce(RunTally.EMPTY, RunTally::plus);
    }
}
