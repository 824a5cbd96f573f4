package dev.tandem.server.api;

import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the API's views of rate limits. */
final class RateViews {

    private static final List<Map.Entry<String, Long>> UNITS =
            List.of(Map.entry("s", 1_000_000L), Map.entry("m", 60_000_000L), Map.entry("h", 3_600_000_000L));

    private RateViews() {}

    /**
     * A rate limit.
     *
     * @param rate tasks and a time, such as {@code 100/s}
     * @param per what has a bucket of its own: {@code key}, or {@code header:} and a name; null if there is one bucket
     * @param bucketsInUse how many buckets do not have all of their tokens
     * @param bucketsPaused how many are paused
     * @param buckets some of those in use, the ones first whose tokens come last
     */
    record RateLimit(
            String name,
            String rate,
            long intervalMicros,
            int burst,
            @Nullable String per,
            int bucketsInUse,
            int bucketsPaused,
            List<Bucket> buckets) {}

    /**
     * A bucket in use.
     *
     * @param bucket the key or the value of the header; null for tasks without one
     * @param nextAt when the next task may begin, which may be over
     * @param pausedUntil null if the bucket is not paused
     */
    record Bucket(
            @Nullable String bucket,
            Instant nextAt,
            @Nullable Instant pausedUntil) {}

    static RateLimit of(RateView view) {
        RateInfo info = view.info();
        return new RateLimit(
                info.name(),
                rate(info.intervalMicros()),
                info.intervalMicros(),
                info.burst(),
                info.per(),
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
