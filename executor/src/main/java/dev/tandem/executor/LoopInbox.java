package dev.tandem.executor;

import dev.tandem.task.Source;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Carries events from other threads to a queue's loop, in order. {@link #post} may be called from any thread; the
 * loop's thread calls the other methods.
 *
 * <p>A post wakes the loop only if the loop waits, so a burst of posts costs one wake-up.
 */
final class LoopInbox {

    private enum Waiting {
        NO,
        IN_SOURCE,
        PARKED
    }

    private final Source source;
    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Waiting> waiting = new AtomicReference<>(Waiting.NO);
    private volatile Thread loop = Thread.currentThread();

    LoopInbox(Source source) {
        this.source = source;
    }

    /** Makes the calling thread the loop's thread. */
    void bind() {
        loop = Thread.currentThread();
    }

    /** Adds an event, which will run on the loop's thread. */
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

    /** Runs at most {@code limit} events. */
    void runEvents(int limit) {
        for (int count = 0; count < limit; count++) {
            Runnable event = events.poll();
            if (event == null) {
                return;
            }
            event.run();
        }
    }

    /** Says that the loop is about to wait in its source. @return false if there are events: do not wait */
    boolean enterSource() {
        waiting.set(Waiting.IN_SOURCE);
        return isEmpty();
    }

    /** Says that the loop does not wait any more: posts need not wake it. */
    void awake() {
        waiting.set(Waiting.NO);
    }

    /** Waits for an event outside of the source, up to this many milliseconds. */
    void park(long maxMillis) {
        waiting.set(Waiting.PARKED);
        if (isEmpty() && maxMillis > 0) {
            LockSupport.parkNanos(this, maxMillis * 1_000_000);
        }
        awake();
    }
}
