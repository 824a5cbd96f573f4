package dev.tandem.kafka;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the waits of one thread, from any thread. Wake-ups are coalesced: only the first of a wait interrupts it, and
 * one that comes between waits lets the next not begin.
 */
final class Wakeups {

    private static final int BUSY = 0;
    private static final int WAITING = 1;
    private static final int WOKEN = 2;

    private final AtomicInteger state = new AtomicInteger(BUSY);
    private volatile Runnable interrupt = () -> {};

    /** The waiting thread: whether it may wait now. {@link #end} must follow in any case. */
    boolean begin(Runnable howToInterrupt) {
        interrupt = howToInterrupt;
        return state.compareAndSet(BUSY, WAITING);
    }

    /** The waiting thread, after its wait: wake-ups so far are spent. */
    void end() {
        state.set(BUSY);
    }

    /** Any thread. */
    void wake() {
        if (state.get() != WOKEN && state.getAndSet(WOKEN) == WAITING) {
            interrupt.run();
        }
    }
}
