package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run one queue's tasks. They are made when needed, up to a bound, and end when they have been idle
 * for long. Thread-safe.
 *
 * <p>At most one thread is being woken at any time. When it is awake and there is more to run, it wakes the next one.
 * A batch of short runs is therefore worked off by the few threads that are awake, with one wake-up for a batch instead of one
 * for each task, while runs that block still get a thread each. Go's scheduler does the same with its spinning threads.
 */
final class WorkerPool implements RunningHandlers {

    private static final long KEEP_IDLE_NANOS = 30_000_000_000L;
    /** How often an idle worker looks whether it may end, while runs wait for threads of other queues. */
    private static final long LOOK_NANOS = 100_000_000L;

    /** Runs one task to its end on the worker that has the slot. Must not throw. */
    @FunctionalInterface
    interface RunAction {
        void run(Run run, WorkerSlot slot);
    }

    private final int maxThreads;
    private final ThreadFactory factory;
    private final TimeoutWatchdog watchdog;
    private final RunAction action;
    private final Queue<Run> waiting = new ConcurrentLinkedQueue<>();
    private final Deque<Worker> idle = new ConcurrentLinkedDeque<>();
    private final Set<WorkerSlot> slots = ConcurrentHashMap.newKeySet();
    private final AtomicInteger threads = new AtomicInteger();
    /** Whether a thread has been chosen or created and is not at work yet. */
    private final AtomicBoolean waking = new AtomicBoolean();

    /** Counts the threads that runs need; null if nobody asks. */
    private final @Nullable FreeThreads free;
    /** Bounds the threads at work of all queues; null if they do not share slots. */
    private final @Nullable SharedThreads shared;

    private final Runnable freed = this::wakeOne;
    private volatile boolean closed;

    WorkerPool(int maxThreads, ThreadFactory factory, TimeoutWatchdog watchdog, RunAction action) {
        this(maxThreads, factory, watchdog, action, null, null);
    }

    /**
     * Makes a pool.
     *
     * @param free counts the threads that runs need; null if nobody asks
     * @param shared bounds the threads at work of all queues; null if they do not share slots
     */
    WorkerPool(
            int maxThreads,
            ThreadFactory factory,
            TimeoutWatchdog watchdog,
            RunAction action,
            @Nullable FreeThreads free,
            @Nullable SharedThreads shared) {
        this.maxThreads = maxThreads;
        this.factory = factory;
        this.watchdog = watchdog;
        this.action = action;
        this.free = free;
        this.shared = shared;
    }

    /** Adds runs. They start in this order. */
    void start(Collection<Run> runs) {
        if (free != null) {
            free.take(runs.size());
        }
        waiting.addAll(runs);
        wakeOne();
    }

    @Override
    public void interruptAll() {
        interrupt(attempt -> true);
    }

    @Override
    public void interrupt(Set<Run> runs) {
        interrupt(running -> ofCall(running).stream().anyMatch(attempt -> runs.contains(attempt.run())));
    }

    @Override
    public Set<Run> running() {
        Set<Run> running = new HashSet<>();
        for (WorkerSlot slot : slots) {
            ofCall(slot.attempt()).forEach(attempt -> running.add(attempt.run()));
        }
        return running;
    }

    @Override
    public List<Started> started() {
        return slots.stream()
                .flatMap(slot -> ofCall(slot.attempt()).stream())
                .map(attempt -> new Started(attempt.run(), attempt.startedMillis(), null))
                .toList();
    }

    @Override
    public void cancel(Set<Run> runs) {
        for (WorkerSlot slot : slots) {
            for (Attempt attempt : ofCall(slot.attempt())) {
                if (runs.contains(attempt.run())) {
                    boolean unused = attempt.cancel();
                }
            }
        }
    }

    private void interrupt(Predicate<Attempt> chosen) {
        for (WorkerSlot slot : slots) {
            Attempt attempt = slot.attempt();
            if (attempt != null && chosen.test(attempt)) {
                attempt.stop();
            }
        }
    }

    @Override
    public List<String> cancel(String id) {
        List<String> cancelled = new ArrayList<>();
        for (WorkerSlot slot : slots) {
            Attempt running = slot.attempt();
            for (Attempt attempt : ofCall(running)) {
                if ((id.equals(attempt.position()) || id.equals(attempt.id())) && attempt.cancel()) {
                    cancelled.add(attempt.position());
                }
            }
        }
        return cancelled;
    }

    private static List<Attempt> ofCall(@Nullable Attempt running) {
        BatchMember member = running == null ? null : running.member();
        return member != null ? member.all() : running == null ? List.of() : List.of(running);
    }

    /** Ends the threads as soon as no run waits. Runs that wait now are still run. */
    void close() {
        closed = true;
        idle.forEach(worker -> LockSupport.unpark(worker.thread));
    }

    /** Returns the number of threads that exist now. */
    int threads() {
        return threads.get();
    }

    private void wakeOne() {
        while (!waiting.isEmpty()) {
            if (!waking.compareAndSet(false, true)) {
                // The thread that is being woken will look into the queue.
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
                // All threads are at work, and each looks into the queue when its run ends.
                return;
            }
        }
    }

    private boolean addThread() {
        int now = threads.get();
        while (now < maxThreads && !threads.compareAndSet(now, now + 1)) {
            now = threads.get();
        }
        if (now >= maxThreads) {
            return false;
        }
        try {
            Worker worker = new Worker();
            worker.thread = factory.newThread(worker);
            worker.thread.start();
            return true;
        } catch (OutOfMemoryError e) {
            // The system has no more threads. The existing ones go on; without any, the queue cannot work at all.
            if (threads.decrementAndGet() == 0) {
                waking.set(false);
                throw e;
            }
            return false;
        }
    }

    private final class Worker implements Runnable {
        private final WorkerSlot slot = new WorkerSlot();
        private volatile boolean chosen;

        @SuppressWarnings("NullAway.Init") // set before the thread starts
        private Thread thread;

        @Override
        public void run() {
            slots.add(slot);
            watchdog.add(slot);
            waking.set(false);
            do {
                for (Run run = next(); run != null; run = next()) {
                    wakeOne();
                    action.run(run, slot);
                    if (shared != null) {
                        shared.giveBack();
                    }
                    if (free != null) {
                        free.giveBack();
                    }
                }
            } while (awaitWork());
            watchdog.remove(slot);
            slots.remove(slot);
            threads.decrementAndGet();
            // A run may have come while this thread still counted and none was idle.
            wakeOne();
        }

        /** Takes the next run, if it may go on now. */
        private @Nullable Run next() {
            if (shared == null) {
                return waiting.poll();
            }
            if (waiting.isEmpty() || !shared.take(freed)) {
                return null;
            }
            Run run = waiting.poll();
            if (run == null) {
                shared.giveBack();
            }
            return run;
        }

        /** Waits until this worker is chosen. @return false if the thread must end */
        private boolean awaitWork() {
            chosen = false;
            idle.addFirst(this);
            boolean moreCame = !waiting.isEmpty() && (shared == null || shared.any(freed));
            if ((moreCame || closed && waiting.isEmpty()) && idle.remove(this)) {
                return moreCame;
            }
            long until = System.nanoTime() + KEEP_IDLE_NANOS;
            while (!chosen) {
                // Runs that wait for threads of other queues must find a worker.
                boolean needed = shared != null && !waiting.isEmpty();
                LockSupport.parkNanos(WorkerPool.this, needed ? LOOK_NANOS : Math.max(1, until - System.nanoTime()));
                Thread.interrupted();
                boolean mayEnd = shared == null || waiting.isEmpty();
                boolean expired = mayEnd && (closed || System.nanoTime() - until >= 0);
                if (!chosen && expired && idle.remove(this)) {
                    return false;
                }
            }
            waking.set(false);
            return true;
        }
    }
}
