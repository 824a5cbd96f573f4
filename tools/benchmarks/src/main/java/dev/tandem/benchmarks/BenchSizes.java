package dev.tandem.benchmarks;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param tasks of a throughput or memory run; 0 for each scenario's own number
 * @param partitions of a Kafka topic
 * @param concurrency the tasks that run at the same time in throughput runs
 * @param rivalThreads the threads of the parallel consumer, which needs one for each task that runs
 * @param duration of runs at a fixed rate; zero for each scenario's own
 * @param rounds how often a run is repeated; the median counts, or the worst where the budget is for that
 * @param lease of the executors, 10 s by default; shorter ones are for tests only
 * @param pageMillis the longest time of a page of the console that is within its budget
 * @param redisMillis the same of Redis's time for it
 */
record BenchSizes(
        int tasks,
        int partitions,
        int concurrency,
        int rivalThreads,
        Duration duration,
        int rounds,
        Duration lease,
        double pageMillis,
        double redisMillis) {

    BenchSizes {
        if (tasks < 0 || partitions < 1 || concurrency < 1 || rivalThreads < 1 || duration.isNegative() || rounds < 1) {
            throw new IllegalArgumentException("--tasks and --duration must be 0 or more; --partitions, --concurrency,"
                    + " --rival-threads and --rounds must be 1 or more");
        }
    }

    int tasksOr(int usual) {
        return tasks == 0 ? usual : tasks;
    }

    Duration durationOr(Duration usual) {
        return duration.isZero() ? usual : duration;
    }
}
