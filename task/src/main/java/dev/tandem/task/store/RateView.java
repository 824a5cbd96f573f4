package dev.tandem.task.store;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rate limit as the store knows it.
 *
 * @param name the rate limit
 * @param info the rate, as the executor says that has named it last; null if none has within a day. Then there is an override
 * @param override what is in force instead; null if nobody has changed it
 * @param used how many buckets are in use: some of their tokens are taken. The store counts some thousand at most
 * @param paused how many buckets are paused
 * @param buckets some of those in use, the ones first whose tokens come last
 */
public record RateView(
        String name,
        @Nullable RateInfo info,
        LimitOverride.@Nullable OfRate override,
        int used,
        int paused,
        List<Bucket> buckets) {

    public RateView {
        if (info == null && override == null) {
            throw new IllegalArgumentException("Nothing is known of the rate limit " + name);
        }
    }

    /** A rate limit that some executor has named within a day. */
    public RateView(
            RateInfo info, LimitOverride.@Nullable OfRate override, int used, int paused, List<Bucket> buckets) {
        this(info.name(), info, override, used, paused, buckets);
    }

    /** Returns the interval in force. */
    public long intervalMicros() {
        return override == null ? Objects.requireNonNull(info).intervalMicros() : override.intervalMicros();
    }

    /** Returns the burst in force. */
    public int burst() {
        return override == null ? Objects.requireNonNull(info).burst() : override.burst();
    }

    /**
     * A bucket that is in use.
     *
     * @param name the key, or what else its tasks are told apart by, or its hash if that is long; "" for tasks without one
     * @param nextAtMicros when the next token may be used, by the store's clock, which may be over
     * @param pausedUntilMicros until when no token is given; 0 if the bucket is not paused
     */
    public record Bucket(String name, long nextAtMicros, long pausedUntilMicros) {}
}
