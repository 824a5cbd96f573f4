package dev.tandem.verify.worker;

import dev.tandem.executor.ExecutorClock;

/** The clocks of an executor. Its wall clock can be set, as an operator sets that of a machine. Thread-safe. */
final class SettableClock implements ExecutorClock {

    private final ExecutorClock machine = ExecutorClock.system();
    private volatile long aheadMillis;

    /** Sets the wall clock ahead of the machine's, or behind it if negative. */
    void setAhead(long millis) {
        aheadMillis = millis;
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public long wallMillis() {
        return machine.wallMillis() + aheadMillis;
    }
}
