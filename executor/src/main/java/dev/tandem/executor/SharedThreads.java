package dev.tandem.executor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds how many threads of all queues of an executor run tasks at once, where the queues share its slots. Runs that waited for
 * permits or for their rates had no slot meanwhile, so that more of them may be ready to go on than there are slots.
 * Thread-safe.
 */
final class SharedThreads {

    private final int max;
    private final AtomicInteger taken = new AtomicInteger();
    /** What is called, once each, when a thread is given back. */
    private final Set<Runnable> lacking = ConcurrentHashMap.newKeySet();

    SharedThreads(int max) {
        this.max = max;
    }

    /**
     * Takes a thread, which is to be given back.
     *
     * @param freed called on any thread, once, when one is free again after this found none; it must not block
     * @return false if none is free
     */
    boolean take(Runnable freed) {
        while (any(freed)) {
            int now = taken.get();
            if (now < max && taken.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a thread is free. @param freed as in {@link #take} */
    boolean any(Runnable freed) {
        if (taken.get() < max) {
            return true;
        }
        lacking.add(freed);
        // One may have been given back before the line above.
        return taken.get() < max;
    }

    void giveBack() {
        taken.decrementAndGet();
        if (!lacking.isEmpty()) {
            for (Runnable each : lacking) {
                if (lacking.remove(each)) {
                    each.run();
                }
            }
        }
    }
}
