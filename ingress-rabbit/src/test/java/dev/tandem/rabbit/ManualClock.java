package dev.tandem.rabbit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Elapsed time in nanoseconds, which goes on as usual and can be moved forward. Thread-safe. */
final class ManualClock implements LongSupplier {

    private final AtomicLong ahead = new AtomicLong();

    void advanceMillis(long millis) {
        ahead.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + ahead.get();
    }
}
