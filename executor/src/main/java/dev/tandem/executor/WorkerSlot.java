package dev.tandem.executor;

import org.jspecify.annotations.Nullable;

/** The attempt that one worker thread runs now, if any. Written by the worker, read by any thread. */
final class WorkerSlot {
    private volatile @Nullable Attempt attempt;

    void set(@Nullable Attempt now) {
        attempt = now;
    }

    @Nullable
    Attempt attempt() {
        return attempt;
    }
}
