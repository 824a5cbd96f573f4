package dev.tandem.rabbit;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread wait until any other has something for it. Wake-ups are coalesced, and one that comes between waits
 * lets the next not begin.
 */
final class Wakeups {

    private enum State {
        BUSY,
        WAITING,
        WOKEN
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.BUSY);
    private volatile @Nullable Thread waiter;

    /** The waiting thread: whether it was woken since it last asked or waited. */
    boolean take() {
        return state.getAndSet(State.BUSY) == State.WOKEN;
    }

    /** The waiting thread: returns when woken, or after so long, or when interrupted. */
    void await(long nanos) {
        waiter = Thread.currentThread();
        if (state.compareAndSet(State.BUSY, State.WAITING)) {
            long until = System.nanoTime() + nanos;
            for (long left = nanos; left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
                if (state.get() != State.WAITING || Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
        }
        state.set(State.BUSY);
    }

    /** Any thread. */
    void wake() {
        if (state.get() != State.WOKEN && state.getAndSet(State.WOKEN) == State.WAITING) {
            LockSupport.unpark(waiter);
        }
    }
}
