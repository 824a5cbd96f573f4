package dev.tandem.rabbit;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets the loop's thread wait until another thread has work for it. Wake-ups are coalesced; one that comes between two
 * waits skips the next wait.
 */
final class LoopWakeup {

    private enum State {
        BUSY,
        WAITING,
        WOKEN
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.BUSY);
    private volatile @Nullable Thread waiter;

    /** Returns whether the loop's thread was woken since its last call of this or {@link #await}. */
    boolean consume() {
        return state.getAndSet(State.BUSY) == State.WOKEN;
    }

    /** Waits until woken, until the time is over, or until interrupted. Called by the loop's thread. */
    void await(long nanos) {
        waiter = Thread.currentThread();
        if (state.compareAndSet(State.BUSY, State.WAITING)) {
            long deadline = System.nanoTime() + nanos;
            for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
                if (state.get() != State.WAITING || Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
        }
        state.set(State.BUSY);
    }

    /** Ends the current wait, or skips the next one. May be called by any thread. */
    void wake() {
        if (state.get() != State.WOKEN && state.getAndSet(State.WOKEN) == State.WAITING) {
            LockSupport.unpark(waiter);
        }
    }
}
