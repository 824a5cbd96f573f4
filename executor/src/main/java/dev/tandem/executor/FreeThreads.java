package dev.tandem.executor;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts which of a queue's threads runs need, so that a run gets a permit only when a thread can begin it at once. Thread-safe.
 *
 * <p>A thread is taken from when a run is given to the workers until its worker is done with it, and while it is reserved.
 */
final class FreeThreads {

    private final int max;
    private final AtomicInteger taken = new AtomicInteger();
    /** Whether somebody found no thread free and has not been told of a free one since. */
    private volatile boolean lacked;

    private volatile Runnable freed = () -> {};
    /** Bounds the threads at work of all queues; null if they do not share slots. */
    private volatile @Nullable SharedThreads shared;

    private final Runnable sharedFreed = () -> freed.run();

    FreeThreads(int max) {
        this.max = max;
    }

    /** Sets what is called, on any thread, when a thread is free again after somebody found none. It must not block. */
    void whenFreed(Runnable listener) {
        freed = listener;
    }

    /** Lets a thread count as free only while one of all queues is. To be called once, before the first run. */
    void share(SharedThreads threads) {
        shared = threads;
    }

    /** Returns the number of free threads, as of some moment ago. */
    int count() {
        return any() ? Math.max(0, max - taken.get()) : 0;
    }

    /** Returns whether a thread is free. */
    boolean any() {
        if (taken.get() >= max) {
            lacked = true;
            // One may have been given back before the line above.
            if (taken.get() >= max) {
                return false;
            }
        }
        SharedThreads all = shared;
        return all == null || all.any(sharedFreed);
    }

    /** Reserves a thread. @return false if none is free */
    boolean reserve() {
        while (any()) {
            int now = taken.get();
            if (now < max && taken.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Takes threads for runs that are given to the workers, also when none is free: then some runs wait for one. */
    void take(int runs) {
        taken.addAndGet(runs);
    }

    /** Gives back a thread that was taken or reserved. */
    void giveBack() {
        if (taken.decrementAndGet() < max && lacked) {
            lacked = false;
            freed.run();
        }
    }
}
