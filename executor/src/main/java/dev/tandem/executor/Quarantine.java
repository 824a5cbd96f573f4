package dev.tandem.executor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets a suspect run alone in its executor: a task whose last {@value #SUSPECT_AFTER} executors died while they ran it.
 * If it kills this executor too, no other task dies with it.
 *
 * <p>The suspicion may be wrong, so it must cost other tasks little. Nothing else starts while the suspect waits for
 * the running tasks to end, and while it runs, but each for {@value #ALONE_MILLIS} ms at most. After that, other tasks
 * have the same time to themselves before the next suspect. While there is no suspect, the start of a run costs one
 * volatile read.
 *
 * <p>Thread-safe. A worker puts its attempt into its slot before it asks {@link #admits}, and a suspect announces
 * itself before it looks at the slots. So at least one of the two sees the other.
 */
final class Quarantine {

    /** A task is a suspect after this many lapsed claims in a row. */
    static final int SUSPECT_AFTER = 2;

    static final long ALONE_MILLIS = 10_000;
    private static final long POLL_MILLIS = 10;

    private final ExecutorClock clock;
    private final Predicate<WorkerSlot> othersBusy;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition opened = lock.newCondition();
    /** The slot of the suspect that is alone, or waits to be; null if there is none. */
    private volatile @Nullable WorkerSlot suspect;

    private long suspectSince;
    private long suspectUntil;
    private long nextSuspectAt = Long.MIN_VALUE;

    /** @param othersBusy whether any slot but this one holds an attempt */
    Quarantine(ExecutorClock clock, Predicate<WorkerSlot> othersBusy) {
        this.clock = clock;
        this.othersBusy = othersBusy;
    }

    /**
     * Returns whether the attempt in the slot may begin now. If not, the worker must take it out of its slot before it
     * waits.
     */
    boolean admits(WorkerSlot slot) {
        WorkerSlot now = suspect;
        return now == null || now == slot;
    }

    /** Waits until no suspect is in the way. @return false if the wait was given up */
    boolean awaitOpen(WorkerSlot slot, BooleanSupplier givenUp) {
        lock.lock();
        try {
            while (!admits(slot)) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
                openIfOverdue();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the suspect in the slot is alone, or has waited long enough. {@link #leave} must follow in any case.
     *
     * @return false if the wait was given up
     */
    boolean enter(WorkerSlot slot, BooleanSupplier givenUp) {
        lock.lock();
        try {
            while (suspect != null || clock.millis() < nextSuspectAt) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
                openIfOverdue();
            }
            suspect = slot;
            suspectSince = clock.millis();
            suspectUntil = suspectSince + 2 * ALONE_MILLIS;
            while (othersBusy.test(slot) && clock.millis() < suspectSince + ALONE_MILLIS) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
            }
            suspectUntil = clock.millis() + ALONE_MILLIS;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the quarantine of the suspect in the slot, if it is in quarantine. */
    void leave(WorkerSlot slot) {
        lock.lock();
        try {
            if (suspect == slot) {
                open();
            }
        } finally {
            lock.unlock();
        }
    }

    private void openIfOverdue() {
        if (suspect != null && clock.millis() >= suspectUntil) {
            open();
        }
    }

    private void open() {
        suspect = null;
        long now = clock.millis();
        nextSuspectAt = now + (now - suspectSince);
        opened.signalAll();
    }

    private boolean pause() {
        try {
            // Suspects are rare, so polling is cheaper than a signal from every run that ends.
            boolean ignored = opened.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
