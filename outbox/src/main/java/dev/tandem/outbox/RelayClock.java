package dev.tandem.outbox;

import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts milliseconds, those included for which the machine was paused. The monotonic clock usually stands still then, so a
 * jump of the clock on the wall counts too. If somebody sets that forward, leases seem to end early, which does no harm.
 * Thread-safe.
 */
final class RelayClock {

    /** A smaller difference is a correction of the clock. */
    private static final long JUMP_MILLIS = 250;

    private final LongSupplier nanos;
    private final InstantSource wall;
    private final long startedAt;
    private long offset;
    private long paused;

    /** @param nanos monotonic */
    RelayClock(LongSupplier nanos, InstantSource wall) {
        this.nanos = nanos;
        this.wall = wall;
        this.startedAt = nanos.getAsLong();
        this.offset = wall.millis();
    }

    static RelayClock system() {
        return new RelayClock(System::nanoTime, InstantSource.system());
    }

    synchronized long millis() {
        long ran = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startedAt);
        long now = wall.millis() - ran;
        if (now - offset > JUMP_MILLIS) {
            paused += now - offset;
            offset = now;
        }
        offset = Math.min(offset, now);
        return ran + paused;
    }
}
