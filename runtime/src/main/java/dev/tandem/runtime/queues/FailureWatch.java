package dev.tandem.runtime.queues;

import dev.tandem.executor.QueueStatus;
import dev.tandem.runtime.settings.TandemSettings.OnFailure;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process when the loop of a queue has failed, because only a new process can run that queue again. Nothing is
 * lost: the other queues are stopped in good order. Used by the thread that it starts.
 */
final class FailureWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FailureWatch.class);

    /** The exit status of the process: an internal software error, by convention. */
    static final int EXIT_STATUS = 70;

    private static final long PERIOD_MILLIS = 1_000;

    private final Supplier<List<QueueStatus>> queues;
    private final OnFailure onFailure;
    private final Runnable end;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "tandem-failure-watch");
        made.setDaemon(true);
        return made;
    });
    private boolean seen;

    /** @param end ends the process; called once at most, on another thread than the caller's */
    FailureWatch(Supplier<List<QueueStatus>> queues, OnFailure onFailure, Runnable end) {
        this.queues = queues;
        this.onFailure = onFailure;
        this.end = end;
    }

    void start() {
        Future<?> unused = thread.scheduleWithFixedDelay(this::check, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    void check() {
        List<String> failed = queues.get().stream()
                .filter(queue -> queue.state() == QueueStatus.State.FAILED)
                .map(QueueStatus::queue)
                .toList();
        if (failed.isEmpty() || seen) {
            return;
        }
        seen = true;
        switch (onFailure) {
            case EXIT -> {
                log.error(
                        "Ending this process with status {}, because the loop of {} failed and only a new process can"
                                + " run it again. tandem.executor.on-failure: stay prevents that",
                        EXIT_STATUS,
                        String.join(", ", failed));
                end.run();
            }
            case STAY ->
                log.error(
                        "The loop of {} failed. This process stays, as tandem.executor.on-failure says; restart it",
                        String.join(", ", failed));
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
