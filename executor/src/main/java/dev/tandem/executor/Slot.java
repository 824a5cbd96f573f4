package dev.tandem.executor;

import org.jspecify.annotations.Nullable;

/** One worker's place: what it runs now. Written by its worker, read by the watchdog. */
final class Slot {
    private volatile @Nullable Attempt attempt;

    void set(@Nullable Attempt now) {
        attempt = now;
    }

    @Nullable
    Attempt attempt() {
        return attempt;
    }
}
