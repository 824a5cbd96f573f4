package dev.tandem.task.store;

import java.util.List;

/**
 * A rate limit as the store knows it.
 *
 * @param info the rate, as the executor says that has named it last
 * @param used how many buckets are in use: some of their tokens are taken. The store counts some thousand at most
 * @param paused how many buckets are paused
 * @param buckets some of those in use, the ones first whose tokens come last
 */
public record RateView(RateInfo info, int used, int paused, List<Bucket> buckets) {

    /**
     * A bucket that is in use.
     *
     * @param name the key, or what else its tasks are told apart by, or its hash if that is long; "" for tasks without one
     * @param nextAtMicros when the next token may be used, by the store's clock, which may be over
     * @param pausedUntilMicros until when no token is given; 0 if the bucket is not paused
     */
    public record Bucket(String name, long nextAtMicros, long pausedUntilMicros) {}
}
