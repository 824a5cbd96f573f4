package dev.tandem.verify.worker;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.api.TaskClient;
import dev.tandem.executor.Executor;
import dev.tandem.executor.TaskLimit;
import dev.tandem.executor.TaskPattern;
import dev.tandem.executor.TaskRate;
import dev.tandem.kafka.KafkaEventPublisher;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.rabbit.RabbitEventPublisher;
import dev.tandem.runtime.events.EventMetrics;
import dev.tandem.runtime.events.EventService;
import dev.tandem.runtime.schedules.EarlierTasks;
import dev.tandem.runtime.schedules.Schedule;
import dev.tandem.runtime.schedules.ScheduleMetrics;
import dev.tandem.runtime.schedules.ScheduleRunner;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventPublisher;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.load.HandlerInstruction;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import dev.tandem.verify.load.PacedTasks;
import dev.tandem.verify.record.Event;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What the tasks of a workload with features need of an executor, beside their handler: a limit and a rate limit, events of their
 * ends, and a schedule. Limits, topics and schedules have the name of the queue, since several trials may share a store.
 */
public final class WorkerFeatures {

    private static final long MAX_EVENT_BYTES = 8 << 20;
    private static final Duration MISFIRE_AFTER = Duration.ofMinutes(10);
    private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

    private final Path noSchedule;
    private final EventService events;
    private final ScheduleRunner schedule;

    WorkerFeatures(
            WorkerSettings settings, String executor, RedisStore store, TaskClient client, JsonLinesLog<Event> log) {
        this.noSchedule = settings.noSchedule();
        this.events = new EventService(
                store.events(),
                RedisSettings.DEFAULT_NAMESPACE,
                Map.of(settings.queue(), publisher(settings)),
                Map.of(),
                new EventMetrics() {
                    @Override
                    public void dropped(String queue, long count) {
                        log.write(new Event.TaskEventsDropped(System.nanoTime(), settings.name(), count));
                    }
                });
        this.schedule = ScheduleRunner.of(
                List.of(schedule(settings.queue())),
                Set.of(),
                store.schedules(),
                new EarlierTasks(store),
                client,
                executor,
                ScheduleMetrics.NONE);
    }

    private static Schedule schedule(String queue) {
        return new Schedule(
                FeatureTasks.schedule(queue),
                queue,
                null,
                null,
                new String(new HandlerInstruction(Outcome.SUCCEED, 5).payload(), StandardCharsets.US_ASCII),
                new Timing.Every(FeatureTasks.SCHEDULE_INTERVAL),
                Misfire.ALL,
                MISFIRE_AFTER,
                1_000,
                Overlap.ALLOW,
                Duration.ZERO);
    }

    /** Returns what the store of an executor, or of an operator, needs to know of a queue that has events. */
    public static Map<String, EventPolicy> eventPolicies(String queue) {
        return Map.of(
                queue,
                new EventPolicy(
                        Set.of(EventKind.SUCCEEDED, EventKind.DEAD, EventKind.EXPIRED, EventKind.CANCELLED),
                        MAX_EVENT_BYTES,
                        false));
    }

    /** Returns the name of the topic, or of the exchange, to which the events of a queue go. */
    public static String eventsOf(String queue) {
        return "tandem-events." + queue;
    }

    private static EventPublisher publisher(WorkerSettings settings) {
        String to = eventsOf(settings.queue());
        return settings.isRabbit()
                ? new RabbitEventPublisher(settings.rabbit(), to)
                : new KafkaEventPublisher(settings.kafka().withTopic(to));
    }

    /** Adds the limit and the rate limit. */
    static void addLimits(Executor.Builder builder, String queue) {
        builder.limits(Map.of(
                queue,
                List.of(new TaskLimit(
                        queue, PacedTasks.LIMIT, new TaskPattern(List.of(PacedTasks.LIMITED_TYPE), List.of())))));
        builder.rates(Map.of(
                queue,
                List.of(new TaskRate(
                        queue,
                        MICROS / PacedTasks.RATE,
                        PacedTasks.BURST,
                        PacedTasks.BUCKET_HEADER,
                        new TaskPattern(List.of(PacedTasks.RATED_TYPE), List.of())))));
    }

    void start() {
        events.start();
        if (!Files.exists(noSchedule)) {
            schedule.start();
        }
    }

    /** Looks whether the trial wants no further firings. */
    void pollSchedule() {
        if (Files.exists(noSchedule)) {
            schedule.close();
        }
    }

    /** Prepares for the end of the executor: ends the firings, and publishes the events of the last outcomes. */
    void stopping() {
        schedule.close();
        events.stopping();
    }

    /** Publishes the last events, after the end of the executor. */
    void close() {
        events.close();
    }
}
