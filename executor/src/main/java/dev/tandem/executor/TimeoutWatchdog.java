package dev.tandem.executor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the attempts of an executor at their timeouts. Thread-safe.
 *
 * <p>Has one thread, which sleeps until the earliest timeout that it knows and then checks every slot. So the start of
 * an attempt costs a write and a comparison, and its end costs nothing.
 */
final class TimeoutWatchdog {

    private final ExecutorClock clock;
    private final long stuckAfterMillis;
    private final Consumer<Attempt> stuck;
    private final Set<WorkerSlot> slots = ConcurrentHashMap.newKeySet();
    private final AtomicLong nextCheckAt = new AtomicLong(Attempt.NEVER);
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /** @param stuck receives, once, each attempt that still runs {@code stuckAfterMillis} after its interrupt */
    TimeoutWatchdog(ExecutorClock clock, long stuckAfterMillis, Consumer<Attempt> stuck) {
        this.clock = clock;
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

    void add(WorkerSlot slot) {
        slots.add(slot);
    }

    void remove(WorkerSlot slot) {
        slots.remove(slot);
    }

    /** Returns whether any slot but this one holds an attempt. */
    boolean isAnotherSlotBusy(WorkerSlot except) {
        for (WorkerSlot slot : slots) {
            if (slot != except && slot.attempt() != null) {
                return true;
            }
        }
        return false;
    }

    /** Puts an attempt into a slot, and watches it until the slot holds another or none. */
    void watch(WorkerSlot slot, Attempt attempt) {
        slot.set(attempt);
        long checkAt = attempt.nextCheckAt();
        // This writes the slot before it reads nextCheckAt, and check() writes nextCheckAt before it reads the slots.
        // So either check() sees the attempt, or this sees that the thread must be woken.
        for (long next = nextCheckAt.get(); checkAt < next; next = nextCheckAt.get()) {
            if (nextCheckAt.compareAndSet(next, checkAt)) {
                LockSupport.unpark(thread);
                return;
            }
        }
    }

    /** Checks all attempts that are due. @return when the next check is due, {@link Attempt#NEVER} if none is */
    long check() {
        nextCheckAt.set(Attempt.NEVER);
        long now = clock.millis();
        long next = Attempt.NEVER;
        for (WorkerSlot slot : slots) {
            Attempt attempt = slot.attempt();
            if (attempt == null) {
                continue;
            }
            if (attempt.nextCheckAt() <= now && attempt.checkTimeout(now, stuckAfterMillis)) {
                stuck.accept(attempt);
            }
            next = Math.min(next, attempt.nextCheckAt());
        }
        return next;
    }

    private void run() {
        while (!closed) {
            long next = check();
            // If watch() set an earlier time meanwhile, it also woke this thread, so park() returns at once.
            nextCheckAt.accumulateAndGet(next, Math::min);
            if (next == Attempt.NEVER) {
                LockSupport.park(this);
            } else {
                long wait = next - clock.millis();
                if (wait > 0) {
                    clock.park(this, wait * 1_000_000);
                }
            }
            Thread.interrupted();
        }
    }
}
