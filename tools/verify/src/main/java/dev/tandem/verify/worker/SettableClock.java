package dev.tandem.verify.worker;

import dev.tandem.executor.Time;

/** The clocks of an executor, of which one can be set: epoch time, as somebody sets that of a machine. Thread-safe. */
final class SettableClock implements Time {

    private final Time machine = Time.system();
    private volatile long offMillis;

    /** From now on it is so much ahead of the machine's; below 0: behind. */
    void set(long millis) {
        offMillis = millis;
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public long wallMillis() {
        return machine.wallMillis() + offMillis;
    }
}
