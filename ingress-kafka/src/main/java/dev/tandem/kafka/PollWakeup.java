package dev.tandem.kafka;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the waits of the polling thread, on request of any thread. Requests are coalesced: only the first one interrupts
 * a wait. A request between two waits skips the next wait.
 */
final class PollWakeup {

    private static final int BUSY = 0;
    private static final int WAITING = 1;
    private static final int WOKEN = 2;

    private final AtomicInteger state = new AtomicInteger(BUSY);
    private volatile Runnable interrupt = () -> {};

    /**
     * Announces a wait. Called by the polling thread, which must call {@link #endWait} afterwards in any case.
     *
     * @return whether the thread may wait; false if it was woken meanwhile
     */
    boolean beginWait(Runnable howToInterrupt) {
        interrupt = howToInterrupt;
        return state.compareAndSet(BUSY, WAITING);
    }

    /** Forgets all requests so far. Called by the polling thread. */
    void endWait() {
        state.set(BUSY);
    }

    /** Ends the current wait, or skips the next one. May be called by any thread. */
    void wake() {
        if (state.get() != WOKEN && state.getAndSet(WOKEN) == WAITING) {
            interrupt.run();
        }
    }
}
