package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.task.Partition;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.WorkerFeatures;
import dev.tandem.verify.worker.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a trial of tasks with features does beside publishing them: it cancels some, reads their events, and ends the schedule. */
final class TrialFeatures implements AutoCloseable {

    private static final Duration READ_LIMIT = Duration.ofSeconds(30);
    private static final long ANSWER_MILLIS = 3_000;
    private static final int TRIES = 10;
    private static final long PAUSE_MILLIS = 500;

    private final WorkerSettings settings;
    private final JsonLinesLog<Event> log;
    private final RedisStore store;
    private final TrialOperator operator;
    private final TaskEventReader events;
    /** The partitions that have had no events to publish at some moment since the end of the load. */
    private final Set<Integer> drained = new HashSet<>();

    /** @param settings how to reach the servers without proxies */
    TrialFeatures(WorkerSettings settings, JsonLinesLog<Event> log, LiveView liveView) throws Exception {
        this.settings = settings;
        this.log = log;
        String to = WorkerFeatures.eventsOf(settings.queue());
        TaskEventLog came = new TaskEventLog(log, liveView);
        this.events = settings.isRabbit()
                ? new RabbitTaskEvents(settings.rabbit().uri(), settings.queue(), to, came)
                : new KafkaTaskEvents(settings.broker(), to, settings.partitions(), came);
        // It records the events of what it cancels.
        this.store =
                RedisStore.open(settings.store(), Retention.DEFAULTS, WorkerFeatures.eventPolicies(settings.queue()));
        this.operator = new TrialOperator(store, settings.queue(), liveView, log);
    }

    /** Hears that the broker has a task. */
    void published(String id) {
        operator.published(id);
    }

    /** Ends the firings of the schedule and the requests to cancel tasks, so that the queue becomes empty. */
    void stop() throws IOException {
        operator.close();
        log.write(new Event.ScheduleStopped(System.nanoTime()));
        Files.createFile(settings.noSchedule());
    }

    /** Returns whether all events that the store had at the end of the load have been published. */
    boolean areEventsPublished() throws InterruptedException {
        try {
            for (int partition = 0; partition < settings.partitions(); partition++) {
                if (!drained.contains(partition) && eventBytes(partition) == 0) {
                    drained.add(partition);
                }
            }
        } catch (ExecutionException | TimeoutException e) {
            // The store is asked again.
        }
        return drained.size() == settings.partitions();
    }

    private long eventBytes(int partition) throws InterruptedException, ExecutionException, TimeoutException {
        return store.events()
                .take(new Partition(settings.queue(), Integer.toString(partition)), null, 1)
                .get(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                .bytesLeft();
    }

    /** Reads what is left after all executors have left, and what the store keeps. */
    void end() throws InterruptedException {
        int stuck = settings.partitions() - drained.size();
        for (int i = 0; i < TRIES; i++) {
            try {
                long left = 0;
                for (int partition = 0; partition < settings.partitions(); partition++) {
                    left += eventBytes(partition);
                }
                log.write(new Event.EndsKept(System.nanoTime(), operator.keptEnds()));
                if (events.readToEnd(READ_LIMIT)) {
                    log.write(new Event.TaskEventsRead(System.nanoTime(), stuck, left));
                }
                return;
            } catch (ExecutionException | TimeoutException e) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        operator.close();
        events.close();
        store.close();
    }
}
