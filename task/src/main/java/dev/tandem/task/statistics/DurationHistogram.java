package dev.tandem.task.statistics;

import java.util.Arrays;

/**
 * How many durations fell into which bucket. Each bucket is wider than the one before by a quarter of an octave, so that
 * histograms of several processes and times add up, and every percentile of their sum is right within {@link #MAX_ERROR}.
 * Immutable.
 */
public final class DurationHistogram {

    /** The number of buckets: of the first, which has what took a microsecond at most, and of four for each octave up to 25 days. */
    public static final int BUCKETS = 4 * 41 + 1;

    /** How far a percentile may be off, as a share of it: half a bucket. */
    public static final double MAX_ERROR = Math.pow(2, 1 / 8.0) - 1;

    /** A histogram of nothing. */
    public static final DurationHistogram EMPTY = new DurationHistogram(new long[0]);

    private static final long[] BOUNDS = bounds();

    /** Counts by bucket, without empty buckets at the end. */
    private final long[] counts;

    private final long count;

    private DurationHistogram(long[] counts) {
        this.counts = counts;
        this.count = Arrays.stream(counts).sum();
    }

    private static long[] bounds() {
        long[] bounds = new long[BUCKETS];
        for (int i = 0; i < BUCKETS; i++) {
            bounds[i] = (long) Math.pow(2, i / 4.0);
        }
        return bounds;
    }

    /** Returns the bucket of a duration. What took longer than 25 days is in the last one. */
    public static int bucketOf(long micros) {
        int low = 0;
        int high = BUCKETS - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (micros <= BOUNDS[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Returns a histogram with these counts. @param counts by bucket; those behind the last one are left out */
    public static DurationHistogram of(long[] counts) {
        int used = Math.min(counts.length, BUCKETS);
        while (used > 0 && counts[used - 1] == 0) {
            used--;
        }
        return used == 0 ? EMPTY : new DurationHistogram(Arrays.copyOf(counts, used));
    }

    /** Returns the counts by bucket, without empty buckets at the end. */
    public long[] counts() {
        return counts.clone();
    }

    /** Returns how many durations there are. */
    public long count() {
        return count;
    }

    /** Returns the durations of both. */
    public DurationHistogram plus(DurationHistogram other) {
        if (other.count == 0) {
            return this;
        }
        long[] sum = Arrays.copyOf(counts, Math.max(counts.length, other.counts.length));
        for (int i = 0; i < other.counts.length; i++) {
            sum[i] += other.counts[i];
        }
        return of(sum);
    }

    /**
     * Returns the duration that this share of all did not exceed, in microseconds; 0 if there is none.
     *
     * @param share more than 0, up to 1
     */
    public double percentileMicros(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("The share is " + share + ", it must be more than 0, and 1 at most");
        }
        long rank = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return valueOf(i);
            }
        }
        return 0;
    }

    /** Returns what stands for the durations of a bucket: the middle of it, from which all are equally far by their ratio. */
    private static double valueOf(int bucket) {
        return bucket == 0 ? 0 : Math.pow(2, (bucket - 0.5) / 4);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DurationHistogram histogram && Arrays.equals(counts, histogram.counts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        return "DurationHistogram" + Arrays.toString(counts);
    }
}
