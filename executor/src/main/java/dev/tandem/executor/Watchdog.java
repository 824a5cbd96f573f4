package dev.tandem.executor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts attempts at their timeouts. One thread for a whole executor: it sleeps until the earliest timeout that it
 * saw and then looks at every slot again, so that beginning and ending a run costs a write and a comparison each.
 */
final class Watchdog {

    private final Time time;
    private final long stuckAfterMillis;
    private final Consumer<Attempt> stuck;
    private final Set<Slot> slots = ConcurrentHashMap.newKeySet();
    private final AtomicLong nextLook = new AtomicLong(Attempt.NEVER);
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /** @param stuck told once of each attempt that has not ended {@code stuckAfterMillis} after its interrupt */
    Watchdog(Time time, long stuckAfterMillis, Consumer<Attempt> stuck) {
        this.time = time;
        this.stuckAfterMillis = stuckAfterMillis;
        this.stuck = stuck;
    }

    void start() {
        Thread started = new Thread(this::run, "tandem-watchdog");
        started.setDaemon(true);
        thread = started;
        started.start();
    }

    void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    void add(Slot slot) {
        slots.add(slot);
    }

    void remove(Slot slot) {
        slots.remove(slot);
    }

    /** Whether any slot but this one holds an attempt. */
    boolean othersRun(Slot except) {
        for (Slot slot : slots) {
            if (slot != except && slot.attempt() != null) {
                return true;
            }
        }
        return false;
    }

    /** Watches an attempt from now on, until its slot holds another or none. */
    void watch(Slot slot, Attempt attempt) {
        slot.set(attempt);
        long at = attempt.attendAt();
        // The slot was written before nextLook is read, and look() writes nextLook before it reads the slots: either
        // it sees this attempt, or this sees that it must be woken.
        for (long next = nextLook.get(); at < next; next = nextLook.get()) {
            if (nextLook.compareAndSet(next, at)) {
                LockSupport.unpark(thread);
                return;
            }
        }
    }

    /** Interrupts whatever runs in the given slots because the process ends. */
    static void stop(Iterable<Slot> slots) {
        for (Slot slot : slots) {
            Attempt attempt = slot.attempt();
            if (attempt != null) {
                attempt.stop();
            }
        }
    }

    /** Attends to what is due. @return when to look again, {@link Attempt#NEVER} if nothing has a timeout */
    long look() {
        nextLook.set(Attempt.NEVER);
        long now = time.millis();
        long next = Attempt.NEVER;
        for (Slot slot : slots) {
            Attempt attempt = slot.attempt();
            if (attempt == null) {
                continue;
            }
            if (attempt.attendAt() <= now && attempt.attend(now, stuckAfterMillis)) {
                stuck.accept(attempt);
            }
            next = Math.min(next, attempt.attendAt());
        }
        return next;
    }

    private void run() {
        while (!closed) {
            long next = look();
            // A lower one that came meanwhile has also unparked this thread: it looks again at once.
            nextLook.accumulateAndGet(next, Math::min);
            if (next == Attempt.NEVER) {
                LockSupport.park(this);
            } else {
                long wait = next - time.millis();
                if (wait > 0) {
                    LockSupport.parkNanos(this, wait * 1_000_000);
                }
            }
            Thread.interrupted();
        }
    }
}
