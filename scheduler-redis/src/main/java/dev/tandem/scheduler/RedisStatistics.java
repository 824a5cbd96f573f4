package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.statistics.StatisticsStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * The statistics of queues in Redis: what became of their runs, by minutes, and by longer points of time the longer ago it was. All
 * programs add up theirs. A future fails when Redis cannot be reached or does not answer in time. Thread-safe.
 */
public final class RedisStatistics {

    private final AdminConnection connection;

    RedisStatistics(AdminConnection connection) {
        this.connection = connection;
    }

    /**
     * Adds what happened within the last seconds to the minute that it is for Redis. A failed future may have added it or not, so it
     * must not be repeated.
     *
     * @param kept for how long points are kept, a minute or more
     */
    public CompletableFuture<Void> add(String queue, RunTally tally, Duration kept) {
        return connection
                .runScript(
                        Script.ADD_STATISTICS,
                        connection.keys().statistics(queue),
                        StatisticsCodec.encode(tally),
                        bytes(Long.toString(Math.max(1, kept.toMinutes()))))
                .thenApply(reply -> null);
    }

    /**
     * Reads the latest points, in one request whose answer is bounded.
     *
     * @param kept the length of the points that are read; so old they are at most, too
     * @param stepMinutes the length of the points that are returned, a multiple of those that are read
     * @param count how many are returned, with the one that is in progress
     */
    public CompletableFuture<QueueStatistics> read(String queue, StatisticsStep kept, int stepMinutes, int count) {
        if (stepMinutes % kept.minutes() != 0) {
            throw new IllegalArgumentException(
                    "Points of " + stepMinutes + " minutes cannot be made of points of " + kept.minutes());
        }
        byte[][] keys = connection.keys().statistics(queue);
        byte[][] used = {keys[0], keys[1 + kept.ordinal()]};
        long most = Math.min(kept.most(), (long) count * stepMinutes / kept.minutes());
        return connection
                .runScript(Script.READ_STATISTICS, used, arguments(kept, most))
                .thenApply(reply -> statistics(reply, stepMinutes, count));
    }

    static byte[][] arguments(StatisticsStep kept, long most) {
        return LongStream.concat(
                        LongStream.of(most),
                        Arrays.stream(StatisticsStep.values())
                                .filter(each -> each.compareTo(kept) <= 0)
                                .mapToLong(StatisticsStep::minutes))
                .mapToObj(each -> bytes(Long.toString(each)))
                .toArray(byte[][]::new);
    }

    static QueueStatistics statistics(List<Object> reply, int stepMinutes, int count) {
        ReplyReader in = new ReplyReader(reply);
        in.number();
        long now = in.number();
        List<Point> points = in.all(each -> StatisticsCodec.decode(each.bytes()));
        long until = now - Math.floorMod(now, (long) stepMinutes) + stepMinutes;
        return QueueStatistics.of(stepMinutes, until, count, points);
    }
}
