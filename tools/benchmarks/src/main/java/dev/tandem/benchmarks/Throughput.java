package dev.tandem.benchmarks;

/**
 * The result of one throughput run of Tandem.
 *
 * @param perSecond tasks per second
 * @param redisMicros the processor time of Redis per task
 * @param perScript tasks per script that ran at Redis
 */
record Throughput(double perSecond, double redisMicros, double perScript) {

    /** @param used what Redis has used during the run */
    static Throughput of(int tasks, double seconds, RedisStatistics.Usage used) {
        return new Throughput(
                tasks / seconds, used.processorMicros() / tasks, tasks / (double) Math.max(1, used.scripts()));
    }
}
