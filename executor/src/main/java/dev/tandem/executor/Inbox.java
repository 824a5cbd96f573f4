package dev.tandem.executor;

import dev.tandem.task.Source;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What other threads have to say to a queue's loop, in order. Posting wakes the loop only if it waits, so a burst costs
 * one wake-up.
 */
final class Inbox {

    private enum Waiting {
        NO,
        IN_SOURCE,
        PARKED
    }

    private final Source source;
    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Waiting> waiting = new AtomicReference<>(Waiting.NO);
    private volatile Thread loop = Thread.currentThread();

    Inbox(Source source) {
        this.source = source;
    }

    /** The calling thread is the loop from now on. */
    void bind() {
        loop = Thread.currentThread();
    }

    /** From any thread. The event runs on the loop's thread. */
    void post(Runnable event) {
        events.add(event);
        Waiting was = waiting.get();
        if (was != Waiting.NO && waiting.compareAndSet(was, Waiting.NO)) {
            if (was == Waiting.IN_SOURCE) {
                source.wakeup();
            } else {
                LockSupport.unpark(loop);
            }
        }
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Runs what came, at most {@code limit} of it. @return how many */
    int drain(int limit) {
        int count = 0;
        for (Runnable event = null; count < limit && (event = events.poll()) != null; count++) {
            event.run();
        }
        return count;
    }

    /** The loop is about to wait in its source. @return false if something came: do not wait */
    boolean enterSource() {
        waiting.set(Waiting.IN_SOURCE);
        return isEmpty();
    }

    /** The loop is awake. */
    void awake() {
        waiting.set(Waiting.NO);
    }

    /** Waits for an event outside of the source. */
    void park(long maxMillis) {
        waiting.set(Waiting.PARKED);
        if (isEmpty() && maxMillis > 0) {
            LockSupport.parkNanos(this, maxMillis * 1_000_000);
        }
        awake();
    }
}
