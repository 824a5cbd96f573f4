package dev.tandem.task.statistics;

import java.util.Arrays;

/** How many runs of a queue began and ended how in some time, and how long they waited and took. Immutable. */
public final class RunTally {

    private static final int COUNTS = RunCount.values().length;

    /** A tally of nothing. */
    public static final RunTally EMPTY = new RunTally(new long[0], DurationHistogram.EMPTY, DurationHistogram.EMPTY);

    private final long[] counts;
    private final DurationHistogram waits;
    private final DurationHistogram runs;

    /**
     * Makes a tally.
     *
     * @param counts in the order of {@link RunCount}; those that are missing are 0, and further ones are left out
     * @param waits from the moment at which tasks could first start to their first start
     * @param runs from the starts of handlers to their ends
     */
    public RunTally(long[] counts, DurationHistogram waits, DurationHistogram runs) {
        this.counts = Arrays.copyOf(counts, COUNTS);
        this.waits = waits;
        this.runs = runs;
    }

    public long count(RunCount what) {
        return counts[what.ordinal()];
    }

    public DurationHistogram waits() {
        return waits;
    }

    public DurationHistogram runs() {
        return runs;
    }

    /** Returns whether nothing has happened. */
    public boolean isEmpty() {
        return Arrays.stream(counts).allMatch(each -> each == 0) && waits.count() == 0 && runs.count() == 0;
    }

    /** Returns what happened in both. */
    public RunTally plus(RunTally other) {
        long[] sum = counts.clone();
        for (int i = 0; i < COUNTS; i++) {
            sum[i] += other.counts[i];
        }
        return new RunTally(sum, waits.plus(other.waits), runs.plus(other.runs));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RunTally tally
                && Arrays.equals(counts, tally.counts)
                && waits.equals(tally.waits)
                && runs.equals(tally.runs);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(counts) + waits.hashCode()) + runs.hashCode();
    }

    @Override
    public String toString() {
        return "RunTally[" + Arrays.toString(counts) + ", waits=" + waits + ", runs=" + runs + "]";
    }
}
