package dev.tandem.benchmarks;

import java.util.Arrays;

/** How measured values are spread. */
record Spread(double p50, double p99, double max) {

    static Spread of(long[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("Nothing was measured");
        }
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Spread(at(sorted, 0.50), at(sorted, 0.99), sorted[sorted.length - 1]);
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
    }
}
