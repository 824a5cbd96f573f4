package dev.tandem.benchmarks;

import java.util.Collection;

/** The middle of what was measured several times. */
final class Medians {

    private Medians() {}

    static double of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
