package dev.tandem.server.api;

import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the API's views of rate limits. */
public final class RateViews {

    private static final List<Map.Entry<String, Long>> UNITS =
            List.of(Map.entry("s", 1_000_000L), Map.entry("m", 60_000_000L), Map.entry("h", 3_600_000_000L));

    private RateViews() {}

    /**
     * A rate limit.
     *
     * @param rate tasks and a time that are in force, such as {@code 100/s}
     * @param configured the numbers of the settings; null if no executor has used the rate limit within a day and this server's
     *     settings do not have it
     * @param override null if nobody has changed it
     * @param per what has a bucket of its own: {@code key}, or {@code header:} and a name; null if there is one bucket
     * @param bucketsInUse how many buckets do not have all of their tokens
     * @param bucketsPaused how many are paused
     * @param buckets some of those in use, the ones first whose tokens come last
     */
    public record RateLimit(
            String name,
            String rate,
            long intervalMicros,
            int burst,
            @Nullable Numbers configured,
            LimitReader.@Nullable Overridden override,
            @Nullable String per,
            int bucketsInUse,
            int bucketsPaused,
            List<Bucket> buckets) {}

    /** The numbers of a rate limit. */
    public record Numbers(String rate, long intervalMicros, int burst) {

        private static Numbers of(long intervalMicros, int burst) {
            return new Numbers(RateViews.rate(intervalMicros), intervalMicros, burst);
        }

        static Numbers of(LimitOverride.OfRate override) {
            return of(override.intervalMicros(), override.burst());
        }

        static Numbers of(LimitRequest.Rate wanted) {
            return of(wanted.intervalMicros(), wanted.burst());
        }
    }

    /**
     * A bucket in use.
     *
     * @param bucket the key or the value of the header; null for tasks without one
     * @param nextAt when the next task may begin, which may be over
     * @param pausedUntil null if the bucket is not paused
     */
    public record Bucket(
            @Nullable String bucket,
            Instant nextAt,
            @Nullable Instant pausedUntil) {}

    static RateLimit of(RateView view) {
        RateInfo info = view.info();
        return new RateLimit(
                view.name(),
                rate(view.intervalMicros()),
                view.intervalMicros(),
                view.burst(),
                info == null ? null : Numbers.of(info.intervalMicros(), info.burst()),
                LimitReader.Overridden.of(view.override()),
                info == null ? null : info.per(),
                view.used(),
                view.paused(),
                view.buckets().stream().map(RateViews::bucket).toList());
    }

    private static Bucket bucket(RateView.Bucket bucket) {
        return new Bucket(
                bucket.name().isEmpty() ? null : bucket.name(),
                time(bucket.nextAtMicros()),
                bucket.pausedUntilMicros() == 0 ? null : time(bucket.pausedUntilMicros()));
    }

    private static Instant time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns tasks and a time: a whole number of tasks in a second, a minute or an hour, if there is one. */
    static String rate(long intervalMicros) {
        for (Map.Entry<String, Long> unit : UNITS) {
            // Settings round the interval down to whole microseconds.
            long tasks = unit.getValue() / intervalMicros;
            if (tasks > 0 && unit.getValue() / tasks == intervalMicros) {
                return tasks + "/" + unit.getKey();
            }
        }
        return intervalMicros % 1_000_000 == 0
                ? "1/" + intervalMicros / 1_000_000 + "s"
                : "1/" + intervalMicros / 1_000.0 + "ms";
    }
}
