package dev.tandem.benchmarks;

import java.util.Arrays;
import java.util.Random;

/** The distribution of keys over the tasks of a run. */
enum KeyDistribution {
    /** Every task has a key of its own, so that no task waits for another one. */
    DISTINCT {
        @Override
        String key(Random random, int index) {
            return "k" + index;
        }
    },
    /** 10,000 keys by Zipf's law, exponent 1: the most frequent key has a tenth of all tasks. */
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
            int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
            return "k" + (found < 0 ? -found - 1 : found);
        }
    };

    /**
     * Returns the key of a task.
     *
     * @param index of the task
     */
    abstract String key(Random random, int index);
}
