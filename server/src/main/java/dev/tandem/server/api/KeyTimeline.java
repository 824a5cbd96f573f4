package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a key: what ran and how it ended, what runs, and what waits.
 *
 * @param log which part of the log was read; absent if the queue has none, or its partition is not known
 * @param logProblem why the log was not read, in words for people
 * @param tasks those in the part of the log, the latest first, then further ones that Redis has
 * @param partial whether the search in Redis ended early, because it would have cost too much; absent if it did not
 * @param next the offset with which an earlier part is asked for; absent if there is none
 * @param waits how long tasks waited for their first attempts, as far as those are known
 * @param runs how long the known attempts took
 */
public record KeyTimeline(
        String queue,
        String key,
        @Nullable Log log,
        @Nullable String logProblem,
        List<Entry> tasks,
        @Nullable Boolean partial,
        @Nullable Long next,
        @Nullable Times waits,
        @Nullable Times runs) {

    /** The state of a task that waits in the log, as far as is known: it is not settled. */
    public static final String IN_BROKER = "in-broker";

    /** The state of a task that has ended, and of which nothing is kept. */
    public static final String NOT_KEPT = "not-kept";

    /**
     * The part of a log that was read.
     *
     * @param first the first offset that the broker still has
     * @param end the offset behind the last record of the partition
     * @param from the first offset that was read
     * @param to the offset behind the last one that was read
     * @param records how many records were read, those of other keys included
     * @param since when the first of them was published
     * @param stop why it begins there: {@code beginning}, {@code found}, {@code records}, {@code bytes} or {@code time}
     */
    public record Log(
            String partition,
            long first,
            long end,
            long from,
            long to,
            long records,
            long bytes,
            @Nullable Instant since,
            String stop) {}

    /**
     * A task of the key.
     *
     * @param offset where it is in the log; absent if it was not found there
     * @param ref its reference; absent if Redis knows nothing of it
     * @param state as the state of a task, or {@code in-broker}, or {@code not-kept} if it has ended and nothing is kept of it
     * @param attempts how often it has started; absent if that is not known
     * @param waitMillis how long it waited for its first attempt; absent if that is not known
     * @param history its known attempts, the earliest first
     */
    public record Entry(
            @Nullable Long offset,
            @Nullable String ref,
            String id,
            @Nullable String type,
            String state,
            @Nullable Instant publishedAt,
            @Nullable Instant at,
            @Nullable Integer attempts,
            @Nullable String executor,
            @Nullable String error,
            @Nullable Sentence waitsFor,
            @Nullable Long waitMillis,
            @Nullable List<Views.Attempt> history) {}

    /** Exact percentiles of the durations of the tasks in a timeline. @param maxMillis the longest */
    public record Times(int count, long p50Millis, long p95Millis, long maxMillis) {

        static @Nullable Times of(LongStream millis) {
            long[] sorted = millis.sorted().toArray();
            return sorted.length == 0
                    ? null
                    : new Times(sorted.length, at(sorted, 0.5), at(sorted, 0.95), sorted[sorted.length - 1]);
        }

        private static long at(long[] sorted, double share) {
            return sorted[(int) Math.ceil(share * sorted.length) - 1];
        }
    }
}
