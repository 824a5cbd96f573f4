package dev.tandem.test;

import dev.tandem.executor.ExecutorClock;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** A clock that stands still until it is moved. While an executor stops, it goes on by itself. Thread-safe. */
final class TestClock implements ExecutorClock {

    /** A thread that waits for this clock looks at it so often. */
    private static final long LOOK_NANOS = 2_000_000;

    private static final long START_MILLIS = 1_000_000;

    private final long startWallMillis;
    private volatile long nanos = START_MILLIS * 1_000_000;
    private volatile boolean flows;
    private volatile long flowsSince;

    TestClock(Instant start) {
        this.startWallMillis = start.toEpochMilli();
    }

    /** Moves the clock to an epoch time, never back. */
    void moveTo(long wallMillis) {
        nanos = Math.max(nanos, (START_MILLIS + wallMillis - startWallMillis) * 1_000_000);
    }

    /** Lets the clock go on from here with the time of the machine. */
    void flow() {
        flowsSince = System.nanoTime();
        flows = true;
    }

    boolean flows() {
        return flows;
    }

    @Override
    public long nanos() {
        return flows ? nanos + (System.nanoTime() - flowsSince) : nanos;
    }

    @Override
    public long wallMillis() {
        return startWallMillis + millis() - START_MILLIS;
    }

    @Override
    public void park(Object blocker, long duration) {
        LockSupport.parkNanos(blocker, Math.min(LOOK_NANOS, duration));
    }
}
