package dev.tandem.server.pull;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread that passes leases on between servers. A failing task does not end it. */
final class PullThread implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PullThread.class);

    private final ScheduledThreadPoolExecutor executor;

    PullThread() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tandem-pull");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
    }

    /** Runs a task soon. @return false if the thread has ended */
    boolean run(Runnable task) {
        try {
            executor.execute(() -> guarded(task));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Runs a task after a delay, unless the thread ends before. @return null if it has ended */
    @Nullable
    ScheduledFuture<?> runAfter(long millis, Runnable task) {
        try {
            return executor.schedule(() -> guarded(task), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected failure while pull leases were passed on between servers", e);
        }
    }
}
