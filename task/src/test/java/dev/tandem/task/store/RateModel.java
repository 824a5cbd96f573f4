package dev.tandem.task.store;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of what a store knows of the buckets of a rate limit. The script of Redis is compared with it. */
public final class RateModel {

    /**
     * A bucket.
     *
     * @param arrival when the next token would come if all were taken, in microseconds
     * @param pausedUntil the latest end of its pauses
     */
    private record Bucket(long arrival, long pausedUntil, long interval, int burst) {}

    private final Map<String, Bucket> buckets = new HashMap<>();
    private LimitRequest.@Nullable Rate override;

    /** Sets a rate in place of what the requests say; null: these hold. */
    public void override(LimitRequest.@Nullable Rate rate) {
        override = rate;
    }

    /** Applies a request. @param now by the store's clock, in microseconds */
    public RateAnswer apply(RateRequest request, long now) {
        long interval = override == null ? request.intervalMicros() : override.intervalMicros();
        int burst = override == null ? request.burst() : override.burst();
        long kept = (burst - 1) * interval;
        long ahead = request.aheadMillis() * 1_000;
        Bucket before = buckets.getOrDefault(request.bucket(), new Bucket(0, 0, interval, burst));
        long pausedUntil = before.pausedUntil;
        long arrival = before.arrival <= now || before.interval == interval && before.burst == burst
                ? Math.max(now, before.arrival)
                : Math.max(now, first(before, interval, burst, ahead, now) + kept);
        if (request.pauseMillis() > 0) {
            arrival = Math.max(arrival, now + request.pauseMillis() * 1_000 + kept);
            pausedUntil = Math.max(pausedUntil, now + request.pauseMillis() * 1_000);
        }
        long first = arrival - kept;
        long count = first <= now + ahead ? Math.min(request.tokens(), (now + ahead - first) / interval + 1) : 0;
        arrival += count * interval;
        buckets.put(request.bucket(), new Bucket(arrival, pausedUntil, interval, burst));
        long next = Math.max(0, -Math.floorDiv(now + ahead + kept - arrival, 1_000L));
        return new RateAnswer(now, (int) count, first - now, next, interval);
    }

    /** Returns when the first token of a bucket may be used whose interval or burst has changed. */
    private static long first(Bucket before, long interval, int burst, long ahead, long now) {
        long first = before.arrival - (before.burst - 1) * before.interval;
        long wait = first - now;
        long carried = first;
        if (wait <= 0) {
            double tokens = Math.min((double) -wait / before.interval, burst - 1);
            carried = (long) Math.floor(now - tokens * interval);
        } else if (wait <= ahead + before.interval) {
            carried = first - before.interval + interval;
        }
        return before.pausedUntil > now ? Math.max(carried, before.pausedUntil) : carried;
    }
}
