package dev.tandem.verify.worker;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.RetryPolicy;
import dev.tandem.scheduler.Heartbeat;
import dev.tandem.scheduler.LiveExecutors;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One executor of one queue, as the server runs it, with a handler that records. Leaves on SIGTERM. */
public final class WorkerMain {

    private static final long LOOK_MILLIS = 50;
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int MAX_ATTEMPTS = 100;

    private WorkerMain() {}

    /** Arguments: those of {@link WorkerSettings#arguments()}. */
    public static void main(String[] arguments) throws InterruptedException {
        WorkerSettings settings = WorkerSettings.of(arguments);
        EventLog log = new EventLog(settings.events());
        log.write(new Event.ProcessStarted(System.nanoTime(), settings.name()));
        StallDetector.start(settings.name(), log);
        SettableClock clock = new SettableClock();
        WorkerOrders moments = new WorkerOrders(settings.name(), settings.orders(), log, clock);
        RedisStore store = RedisStore.open(settings.store());
        ObservedStore claims = new ObservedStore(store, settings.name(), log);
        RecordingHandler recorder = new RecordingHandler(settings.name(), log, moments, claims);
        LiveExecutors live = new LiveExecutors();
        Executor executor = Executor.builder()
                .id(settings.name())
                .settings(settings.core())
                .time(clock)
                .queue(QueueSpec.queue(settings.queue())
                        .source(new FreezableSource(settings.source(), moments))
                        .store(claims)
                        .policy(settings.policy())
                        .members(() -> live.of(settings.queue()))
                        .timeout(TIMEOUT)
                        .maxAttempts(MAX_ATTEMPTS)
                        .retry(RetryPolicy.fixed(settings.retry()))
                        .fallback(recorder)
                        .build())
                .build();
        Heartbeat heartbeat = new Heartbeat(store.presence(), executor.id(), "localhost", executor::shares, live);
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "verify-look");
            thread.setDaemon(true);
            return thread;
        });
        if (settings.isRabbit()) {
            heartbeat.start();
        }
        every(timer, LOOK_MILLIS, moments::look);
        every(timer, LOOK_MILLIS, recorder::look);
        executor.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.write(new Event.LeaveRequested(System.nanoTime(), settings.name()));
            if (settings.isRabbit()) {
                leave(heartbeat);
            }
            executor.stop();
            store.close();
        }));
        while (true) {
            // For whoever looks into its log after a failure.
            TimeUnit.SECONDS.sleep(5);
            System.out.println(executor.status().get(0));
        }
    }

    private static void leave(Heartbeat heartbeat) {
        try {
            heartbeat.close();
        } catch (Exception e) {
            // It is forgotten after a minute.
        }
    }

    private static void every(ScheduledExecutorService timer, long millis, Runnable task) {
        Future<?> unused = timer.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    }
}
