package dev.tandem.executor;

import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test advances it. */
final class ManualClock implements ExecutorClock {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000_000L);

    void advance(long millis) {
        nanos.addAndGet(millis * 1_000_000);
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long wallMillis() {
        return 1_700_000_000_000L + millis();
    }
}
