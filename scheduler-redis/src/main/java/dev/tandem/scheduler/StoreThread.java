package dev.tandem.scheduler;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread that connects to Redis and tells links that they are up or down. A failing task does not end it. */
final class StoreThread {

    private static final Logger log = LoggerFactory.getLogger(StoreThread.class);

    private final ScheduledThreadPoolExecutor executor;

    StoreThread() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tandem-redis");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
    }

    /** Runs a task soon. Does nothing once the thread has ended. */
    void run(Runnable task) {
        try {
            executor.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // The store is closed.
        }
    }

    /** Runs a task after a delay. Does nothing once the thread has ended. */
    void runAfter(long millis, Runnable task) {
        try {
            executor.schedule(() -> guarded(task), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The store is closed.
        }
    }

    void runEvery(long millis, Runnable task) {
        executor.scheduleWithFixedDelay(() -> guarded(task), millis, millis, TimeUnit.MILLISECONDS);
    }

    void end() {
        executor.shutdownNow();
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected failure of the connection to Redis, or of one of its listeners", e);
        }
    }
}
