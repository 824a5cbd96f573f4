package dev.tandem.runtime.events;

import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends the threads and publishers of all queues within limits that do not depend on how many there are. */
final class EventShutdown {

    private EventShutdown() {}

    /** Lets threads end what they do, and interrupts those that have not ended within the limit. */
    static void end(Collection<? extends ExecutorService> threads, Duration limit) {
        threads.forEach(ExecutorService::shutdown);
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (ExecutorService thread : threads) {
                if (!thread.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.forEach(ExecutorService::shutdownNow);
    }

    /** Closes publishers side by side, since each may wait for its broker. Leaves those that take longer than the limit. */
    static void close(Collection<? extends EventPublisher> publishers, Duration limit) {
        List<Thread> closers = new ArrayList<>();
        for (EventPublisher publisher : publishers) {
            Thread closer = new Thread(publisher::close, "tandem-events-close");
            closer.setDaemon(true);
            closer.start();
            closers.add(closer);
        }
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (Thread closer : closers) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                closer.join(Math.max(1, left)); // Zero would wait for ever.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
