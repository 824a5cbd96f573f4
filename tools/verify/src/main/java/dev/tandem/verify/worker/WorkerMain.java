package dev.tandem.verify.worker;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.scheduler.DeathWatch;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.task.Source;
import dev.tandem.verify.record.Event;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs an executor of one queue, as the server does, with a handler that records its runs. Leaves on SIGTERM. */
public final class WorkerMain {

    private static final long POLL_MILLIS = 50;
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int MAX_ATTEMPTS = 100;

    private WorkerMain() {}

    /** @param arguments see {@link WorkerSettings#arguments()} */
    public static void main(String[] arguments) throws InterruptedException {
        WorkerSettings settings = WorkerSettings.of(arguments);
        JsonLinesLog<Event> log = new JsonLinesLog<>(settings.events());
        log.write(new Event.ProcessStarted(System.nanoTime(), settings.name()));
        StallDetector.start(settings.name(), log);
        SettableClock clock = new SettableClock();
        WorkerOrders orders = new WorkerOrders(settings.name(), settings.orders(), log, clock);
        RedisStore store = RedisStore.open(
                settings.store(),
                Retention.DEFAULTS,
                settings.features() ? WorkerFeatures.eventPolicies(settings.queue()) : Map.of());
        ObservedStore observedStore = new ObservedStore(store, settings.name(), log);
        RecordingHandler handler = new RecordingHandler(
                settings.name(), log, orders, observedStore, settings.outage(), Effects.of(settings.database()));
        handler.pollOutage();
        String id = Executor.newId(settings.name());
        Source source = settings.source(id);
        WorkerFanOuts fanOuts = new WorkerFanOuts(settings, store);
        WorkerFeatures features =
                settings.features() ? new WorkerFeatures(settings, id, store, fanOuts.client(), log) : null;
        Executor executor = executor(id, source, settings, observedStore, handler, orders, clock, fanOuts);
        DeathWatch deaths = store.deathWatch(id, Set.of(settings.queue()), dead -> removeFromGroup(source, dead));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "verify-poll");
            thread.setDaemon(true);
            return thread;
        });
        if (settings.provesDeaths()) {
            deaths.start();
        }
        every(timer, POLL_MILLIS, orders::poll);
        every(timer, POLL_MILLIS, handler::pollLeases);
        every(timer, POLL_MILLIS, handler::pollOutage);
        every(timer, WorkerFanOuts.LOOK_MILLIS, fanOuts::look);
        if (features != null) {
            features.start();
            every(timer, POLL_MILLIS, features::pollSchedule);
        }
        executor.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.write(new Event.LeaveRequested(System.nanoTime(), settings.name()));
            stop(executor, features);
            stop(fanOuts);
            stop(deaths);
            store.close();
        }));
        while (true) {
            // For reading the log after a failure.
            TimeUnit.SECONDS.sleep(5);
            System.out.println(executor.status().get(0));
        }
    }

    private static void removeFromGroup(Source source, String dead) {
        if (source instanceof KafkaSource kafka) {
            kafka.removeMember(dead);
        }
    }

    private static Executor executor(
            String id,
            Source source,
            WorkerSettings settings,
            ObservedStore store,
            RecordingHandler handler,
            WorkerOrders orders,
            SettableClock clock,
            WorkerFanOuts fanOuts) {
        Executor.Builder builder =
                Executor.builder().uniqueId(id).settings(settings.core()).clock(clock);
        if (settings.features()) {
            WorkerFeatures.addLimits(builder, settings.queue());
        }
        return builder.queue(QueueSpec.queue(settings.queue())
                        .source(new FreezableSource(source, orders))
                        .store(store)
                        .policy(settings.policy())
                        .timeout(TIMEOUT)
                        .maxAttempts(MAX_ATTEMPTS)
                        .retry(RetryPolicy.fixed(settings.retry()))
                        .fallback(handler)
                        .fanOuts(fanOuts.fanOuts())
                        .build())
                .build();
    }

    private static void stop(Executor executor, @Nullable WorkerFeatures features) {
        if (features == null) {
            executor.stop();
            return;
        }
        features.stopping();
        executor.stop();
        features.close();
    }

    private static void stop(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            // Other executors forget this one in any case.
        }
    }

    private static void every(ScheduledExecutorService timer, long millis, Runnable task) {
        Future<?> unused = timer.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    }
}
