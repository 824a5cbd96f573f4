package dev.tandem.executor;

import java.util.concurrent.locks.LockSupport;

/** Port: the clocks of a process, one for elapsed time and one for epoch time. Implementations are thread-safe. */
public interface ExecutorClock {

    /** Returns the nanoseconds since a fixed moment. Never goes back. */
    long nanos();

    /** Returns the epoch time in milliseconds. May jump in both directions. */
    long wallMillis();

    /** Returns {@link #nanos} in milliseconds. Leases and timeouts are measured with this. */
    default long millis() {
        return nanos() / 1_000_000;
    }

    /**
     * Blocks the calling thread until so much time has passed by this clock, or another thread wakes it. May return
     * earlier, as {@link LockSupport#parkNanos} does.
     */
    default void park(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /** Returns the clocks of this machine. */
    static ExecutorClock system() {
        return SystemClock.INSTANCE;
    }
}
