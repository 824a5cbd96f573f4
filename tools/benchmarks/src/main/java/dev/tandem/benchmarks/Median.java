package dev.tandem.benchmarks;

import java.util.Collection;

/** The median of values that were measured several times. */
final class Median {

    private Median() {}

    /** Returns the middle value, or the mean of the two in the middle. */
    static double of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
