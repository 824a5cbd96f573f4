package dev.tandem.benchmarks;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param tasks of a throughput or memory run; 0: each scenario's own number
 * @param partitions of a Kafka topic
 * @param concurrency tasks running at once, of the throughput runs
 * @param rivalThreads of the parallel consumer, which needs one for each task that runs
 * @param duration of runs that have a rate; zero: each scenario's own
 * @param rounds of what is repeated; the median counts, or the worst where that is the budget
 * @param lease of the executors, 10 s by default; shorter ones are for tests only
 */
record Sizes(
        int tasks, int partitions, int concurrency, int rivalThreads, Duration duration, int rounds, Duration lease) {

    Sizes {
        if (tasks < 0 || partitions < 1 || concurrency < 1 || rivalThreads < 1 || duration.isNegative() || rounds < 1) {
            throw new IllegalArgumentException(
                    "tasks must be 0 or more; partitions, concurrency, threads and rounds 1 or more; the duration not negative");
        }
    }

    int tasksOr(int usual) {
        return tasks == 0 ? usual : tasks;
    }

    Duration durationOr(Duration usual) {
        return duration.isZero() ? usual : duration;
    }
}
