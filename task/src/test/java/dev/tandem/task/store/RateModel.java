package dev.tandem.task.store;

import java.util.HashMap;
import java.util.Map;

/** A model of what a store knows of the buckets of a rate limit. The script of Redis is compared with it. */
public final class RateModel {

    /** By bucket: when the next token would come if all were taken, in microseconds. */
    private final Map<String, Long> arrivals = new HashMap<>();

    /** Applies a request. @param now by the store's clock, in microseconds */
    public RateAnswer apply(RateRequest request, long now) {
        long interval = request.intervalMicros();
        long kept = (request.burst() - 1) * interval;
        long ahead = request.aheadMillis() * 1_000;
        long arrival = Math.max(now, arrivals.getOrDefault(request.bucket(), 0L));
        if (request.pauseMillis() > 0) {
            arrival = Math.max(arrival, now + request.pauseMillis() * 1_000 + kept);
        }
        long first = arrival - kept;
        long count = first <= now + ahead ? Math.min(request.tokens(), (now + ahead - first) / interval + 1) : 0;
        arrival += count * interval;
        arrivals.put(request.bucket(), arrival);
        long next = Math.max(0, -Math.floorDiv(now + ahead + kept - arrival, 1_000L));
        return new RateAnswer(now, (int) count, first - now, next);
    }
}
