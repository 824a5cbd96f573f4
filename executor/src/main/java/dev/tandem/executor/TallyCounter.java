package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts the runs of one queue in this process until they are taken. Never grows. Thread-safe. */
final class TallyCounter {

    private static final int COUNTS = RunCount.values().length;
    private static final int WAITS = COUNTS;
    private static final int RUNS = WAITS + DurationHistogram.BUCKETS;

    /** The counts, the waits by bucket, and the runs by bucket. */
    private final AtomicLongArray numbers = new AtomicLongArray(RUNS + DurationHistogram.BUCKETS);

    void started(long waitMillis) {
        numbers.incrementAndGet(RunCount.STARTED.ordinal());
        if (waitMillis != RunMeasurement.UNKNOWN) {
            numbers.incrementAndGet(WAITS + DurationHistogram.bucketOf(TimeUnit.MILLISECONDS.toMicros(waitMillis)));
        }
    }

    void concluded(Outcome outcome) {
        RunCount what = RunCount.of(outcome);
        if (what != null) {
            numbers.incrementAndGet(what.ordinal());
        }
    }

    void ran(long nanos) {
        numbers.incrementAndGet(RUNS + DurationHistogram.bucketOf(TimeUnit.NANOSECONDS.toMicros(nanos)));
    }

    /** Takes what was counted since the last time. Each run is taken once; its start and its end may be taken apart. */
    RunTally take() {
        return new RunTally(
                take(0, COUNTS),
                DurationHistogram.of(take(WAITS, DurationHistogram.BUCKETS)),
                DurationHistogram.of(take(RUNS, DurationHistogram.BUCKETS)));
    }

    private long[] take(int from, int count) {
        long[] taken = new long[count];
        for (int i = 0; i < count; i++) {
            if (numbers.get(from + i) != 0) {
                taken[i] = numbers.getAndSet(from + i, 0);
            }
        }
        return taken;
    }
}
