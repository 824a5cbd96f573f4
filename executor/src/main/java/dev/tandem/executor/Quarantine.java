package dev.tandem.executor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Has a task that may have killed its executor twice run alone in this one, so that its neighbours do not die with it.
 *
 * <p>It is only a suspicion, so it costs the others little: nothing else starts while the suspect waits for those that
 * run to end, and while it runs, but neither for longer than {@value #ALONE_MILLIS} ms; and before the next suspect they
 * have as long to themselves. A run that starts without any suspect about pays one volatile read.
 *
 * <p>Thread-safe. A worker first shows its attempt in its slot and then asks {@link #admits}; a suspect first shows
 * itself and then looks at the slots. So one of two always sees the other.
 */
final class Quarantine {

    /** A task is a suspect after so many lapsed claims. */
    static final int SUSPECT_AFTER = 2;

    static final long ALONE_MILLIS = 10_000;
    private static final long LOOK_MILLIS = 10;

    private final Time time;
    private final Predicate<Slot> othersRun;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition changed = lock.newCondition();
    /** Whose task is alone, or will be. */
    private volatile @Nullable Slot alone;

    private long aloneSince;
    private long aloneUntil;
    private long restUntil = Long.MIN_VALUE;

    /** @param othersRun whether any other slot than this one holds an attempt */
    Quarantine(Time time, Predicate<Slot> othersRun) {
        this.time = time;
        this.othersRun = othersRun;
    }

    /** Whether the attempt that the slot shows may begin now; if not, it must be hidden again before waiting. */
    boolean admits(Slot slot) {
        Slot now = alone;
        return now == null || now == slot;
    }

    /** Waits until no suspect is in the way. @return false if it was given up */
    boolean awaitOpen(Slot slot, BooleanSupplier givenUp) {
        lock.lock();
        try {
            while (!admits(slot)) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
                expire();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the suspect is alone, or has waited long enough. To be left in any case. @return false if it was given up */
    boolean enter(Slot slot, BooleanSupplier givenUp) {
        lock.lock();
        try {
            while (alone != null || time.millis() < restUntil) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
                expire();
            }
            alone = slot;
            aloneSince = time.millis();
            aloneUntil = aloneSince + 2 * ALONE_MILLIS;
            while (othersRun.test(slot) && time.millis() < aloneSince + ALONE_MILLIS) {
                if (givenUp.getAsBoolean() || !pause()) {
                    return false;
                }
            }
            aloneUntil = time.millis() + ALONE_MILLIS;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The suspect has ended, or was given up. */
    void leave(Slot slot) {
        lock.lock();
        try {
            if (alone == slot) {
                open();
            }
        } finally {
            lock.unlock();
        }
    }

    private void expire() {
        if (alone != null && time.millis() >= aloneUntil) {
            open();
        }
    }

    private void open() {
        alone = null;
        long now = time.millis();
        restUntil = now + (now - aloneSince);
        changed.signalAll();
    }

    private boolean pause() {
        try {
            // Rare, so a look now and then will do instead of a word from every run that ends.
            boolean ignored = changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
