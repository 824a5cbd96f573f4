package dev.tandem.server.console;

import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * How many tasks of each queue ended in the last half hour, from the statistics in Redis, so all servers say the same. They are read
 * every five seconds at most, for all who look, and for all queues at once. Thread-safe.
 */
final class RecentEnds {

    /** How many numbers a queue has, each of a minute. */
    static final int COUNTS = 30;

    private static final Duration GOOD = Duration.ofSeconds(5);

    /**
     * The latest ends of a queue.
     *
     * @param counts those of each minute that is over, the latest last
     * @param perSecond how many in a second, since the last of them began
     */
    record Ends(List<Long> counts, double perSecond) {

        static final Ends NONE = new Ends(Collections.nCopies(COUNTS, 0L), 0);

        /**
         * Leaves out the minute that is under way: its line would fall at its end.
         *
         * @param read these minutes and the one that is under way
         * @param now the time, which tells how much of that is over
         */
        static Ends of(QueueStatistics read, Instant now) {
            Map<Long, Long> ended = new HashMap<>();
            read.points().forEach(point -> ended.put(point.start(), ended(point.tally())));
            List<Long> counts = new ArrayList<>(COUNTS);
            long underWay = read.until() - 1;
            for (long minute = underWay - COUNTS; minute < underWay; minute++) {
                counts.add(ended.getOrDefault(minute, 0L));
            }
            // The minutes are those of Redis, whose clock may differ.
            long over = Math.max(0, Math.min(60, now.getEpochSecond() - TimeUnit.MINUTES.toSeconds(underWay)));
            long latest = counts.get(COUNTS - 1) + ended.getOrDefault(underWay, 0L);
            return new Ends(counts, (double) latest / (60 + over));
        }

        private static long ended(RunTally tally) {
            return tally.count(RunCount.SUCCEEDED) + tally.count(RunCount.DEAD);
        }
    }

    /** An answer of Redis. @param at when it was read */
    private record Reading(Instant at, Map<String, Ends> queues) {}

    private final StatisticsReader statistics;
    private final InstantSource clock;
    private final AtomicBoolean reading = new AtomicBoolean();
    private volatile @Nullable Reading latest;

    RecentEnds(StatisticsReader statistics, InstantSource clock) {
        this.statistics = statistics;
        this.clock = clock;
    }

    /** Returns the ends of these queues, by queue. While Redis does not answer, those that were read last; none of an unknown queue. */
    Map<String, Ends> of(Collection<String> queues) {
        Reading known = latest;
        if (known != null && isGood(known, queues)) {
            return known.queues();
        }
        // One reads, and the others show what is known. Only the first ones have nothing to show, and read too.
        boolean reads = reading.compareAndSet(false, true);
        if (!reads && known != null) {
            return known.queues();
        }
        try {
            Instant now = clock.instant();
            Map<String, Ends> read = new HashMap<>();
            statistics.minutes(queues, COUNTS + 1).forEach((queue, each) -> read.put(queue, Ends.of(each, now)));
            latest = new Reading(now, read);
            return read;
        } catch (UnavailableException e) {
            return known == null ? Map.of() : known.queues();
        } finally {
            if (reads) {
                reading.set(false);
            }
        }
    }

    private boolean isGood(Reading known, Collection<String> queues) {
        Duration age = Duration.between(known.at(), clock.instant());
        return !age.isNegative()
                && age.compareTo(GOOD) < 0
                && known.queues().keySet().containsAll(queues);
    }
}
