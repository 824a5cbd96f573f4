package dev.tandem.benchmarks;

import java.util.Random;

/** How keys are spread over the tasks of a run. */
enum Keys {
    /** Every task has a key of its own: the unordered case in disguise. */
    DISTINCT {
        @Override
        String key(Random random, int index) {
            return "k" + index;
        }
    },
    /** 10,000 keys with Zipf's law, exponent 1: the most frequent one has a tenth of all tasks. */
    ZIPF {
        private final double[] sums = new double[10_000];

        @Override
        String key(Random random, int index) {
            if (sums[0] == 0) {
                double sum = 0;
                for (int i = 0; i < sums.length; i++) {
                    sum += 1.0 / (i + 1);
                    sums[i] = sum;
                }
            }
            int found = java.util.Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
            return "k" + (found < 0 ? -found - 1 : found);
        }
    };

    abstract String key(Random random, int index);
}
