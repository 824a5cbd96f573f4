package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.Collection;
import java.util.Deque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that run one queue's tasks, up to a bound, made when needed and ended when idle for long.
 *
 * <p>At most one thread is on its way to work at any time: it wakes the next when it arrives and there is more. So a
 * batch of runs that end at once is drained by the few threads that are awake, with a wake-up a batch instead of one a
 * task, while runs that block still get a thread each. (The idea of the Go scheduler's spinning workers.)
 */
final class RunPool {

    private static final long KEEP_NANOS = 30_000_000_000L;

    /** Runs one task to its end; never throws. */
    @FunctionalInterface
    interface Job {
        void run(Run run, Slot slot);
    }

    private final int bound;
    private final ThreadFactory factory;
    private final Watchdog watchdog;
    private final Job job;
    private final Queue<Run> waiting = new ConcurrentLinkedQueue<>();
    private final Deque<Worker> idle = new ConcurrentLinkedDeque<>();
    private final Set<Slot> slots = ConcurrentHashMap.newKeySet();
    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicBoolean waking = new AtomicBoolean();
    private volatile boolean closed;

    RunPool(int bound, ThreadFactory factory, Watchdog watchdog, Job job) {
        this.bound = bound;
        this.factory = factory;
        this.watchdog = watchdog;
        this.job = job;
    }

    /** Takes runs in order. */
    void start(Collection<Run> runs) {
        waiting.addAll(runs);
        wakeOne();
    }

    /** Interrupts what runs now. */
    void interruptAll() {
        Watchdog.stop(slots);
    }

    /** Ends the threads when nothing waits any more; what waits is still run. */
    void close() {
        closed = true;
        idle.forEach(worker -> LockSupport.unpark(worker.thread));
    }

    /** Threads that exist now. */
    int threads() {
        return threads.get();
    }

    private void wakeOne() {
        while (!waiting.isEmpty()) {
            if (!waking.compareAndSet(false, true)) {
                // Whoever is on the way looks into the queue after this.
                return;
            }
            Worker worker = idle.pollFirst();
            if (worker != null) {
                worker.chosen = true;
                LockSupport.unpark(worker.thread);
                return;
            }
            if (addThread()) {
                return;
            }
            waking.set(false);
            if (idle.isEmpty()) {
                // All are at work, and each looks into the queue when it is done.
                return;
            }
        }
    }

    private boolean addThread() {
        int now = threads.get();
        while (now < bound && !threads.compareAndSet(now, now + 1)) {
            now = threads.get();
        }
        if (now >= bound) {
            return false;
        }
        try {
            Worker worker = new Worker();
            worker.thread = factory.newThread(worker);
            worker.thread.start();
            return true;
        } catch (OutOfMemoryError e) {
            // No more native threads. Those that are there go on; with none the queue can't work at all.
            if (threads.decrementAndGet() == 0) {
                waking.set(false);
                throw e;
            }
            return false;
        }
    }

    private final class Worker implements Runnable {
        private final Slot slot = new Slot();
        private volatile boolean chosen;

        @SuppressWarnings("NullAway.Init") // set before the thread starts
        private Thread thread;

        @Override
        public void run() {
            slots.add(slot);
            watchdog.add(slot);
            waking.set(false);
            do {
                for (Run run = waiting.poll(); run != null; run = waiting.poll()) {
                    wakeOne();
                    job.run(run, slot);
                }
            } while (awaitWork());
            watchdog.remove(slot);
            slots.remove(slot);
            threads.decrementAndGet();
            // A run may have come that found this thread counted, and none idle.
            wakeOne();
        }

        /** Waits to be chosen. @return false when idle for long, or closed */
        private boolean awaitWork() {
            chosen = false;
            idle.addFirst(this);
            boolean moreCame = !waiting.isEmpty();
            if ((moreCame || closed) && idle.remove(this)) {
                return moreCame;
            }
            long until = System.nanoTime() + KEEP_NANOS;
            while (!chosen) {
                LockSupport.parkNanos(RunPool.this, Math.max(1, until - System.nanoTime()));
                Thread.interrupted();
                boolean expired = closed || System.nanoTime() - until >= 0;
                if (!chosen && expired && idle.remove(this)) {
                    return false;
                }
            }
            waking.set(false);
            return true;
        }
    }
}
