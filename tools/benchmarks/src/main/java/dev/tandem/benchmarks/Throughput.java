package dev.tandem.benchmarks;

/**
 * The result of one throughput run of Tandem.
 *
 * @param perSecond tasks per second
 * @param redisMicros the processor time of Redis per task
 * @param fileBytes what the append-only file of Redis grew by per task; NaN if Redis rewrote it meanwhile
 * @param perScript tasks per script that ran at Redis
 */
record Throughput(double perSecond, double redisMicros, double fileBytes, double perScript) {

    /** @param used what Redis has used during the run */
    static Throughput of(int tasks, double seconds, RedisStatistics.Usage used) {
        return new Throughput(
                tasks / seconds,
                used.processorMicros() / tasks,
                used.fileBytes() / tasks,
                tasks / (double) Math.max(1, used.scripts()));
    }
}
