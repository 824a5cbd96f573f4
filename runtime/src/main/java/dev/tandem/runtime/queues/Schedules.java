package dev.tandem.runtime.queues;

import dev.tandem.api.TaskClient;
import dev.tandem.runtime.schedules.CronExpression;
import dev.tandem.runtime.schedules.EarlierTasks;
import dev.tandem.runtime.schedules.Schedule;
import dev.tandem.runtime.schedules.ScheduleMetrics;
import dev.tandem.runtime.schedules.ScheduleRunner;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.runtime.settings.ScheduleSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.RedisStore;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The schedules of a process: those of its settings, and those that somebody created for its queues. */
public final class Schedules implements AutoCloseable {

    private final ScheduleRunner runner;

    /** Closed with this; null if it is the caller's. */
    private final @Nullable TaskClient ownClient;

    private Schedules(ScheduleRunner runner, @Nullable TaskClient ownClient) {
        this.ownClient = ownClient;
        this.runner = runner;
    }

    /**
     * Returns what fires the schedules of the settings, not started yet.
     *
     * @param client has all queues of the settings. Not closed here
     * @param program names this process, unlike any other
     */
    public static Schedules of(
            TandemSettings settings, RedisStore store, TaskClient client, String program, ScheduleMetrics metrics) {
        return of(settings, store, client, program, metrics, false);
    }

    /** Returns the same with a client of its own, which connects at the first firing. */
    public static Schedules withOwnClient(
            TandemSettings settings, RedisStore store, String program, ScheduleMetrics metrics) {
        return of(settings, store, QueueClients.builder(settings).build(), program, metrics, true);
    }

    private static Schedules of(
            TandemSettings settings,
            RedisStore store,
            TaskClient client,
            String program,
            ScheduleMetrics metrics,
            boolean ownClient) {
        ScheduleRunner runner = ScheduleRunner.of(
                of(settings),
                settings.queues().keySet(),
                store.schedules(),
                new EarlierTasks(store),
                client,
                program,
                metrics);
        return new Schedules(runner, ownClient ? client : null);
    }

    /** Returns the schedules of checked settings that are enabled. */
    public static List<Schedule> of(TandemSettings settings) {
        List<Schedule> all = new ArrayList<>();
        settings.schedules().forEach((id, each) -> {
            if (each.enabled()) {
                all.add(of(id, each));
            }
        });
        return all;
    }

    /** Returns the schedule of checked settings. */
    public static Schedule of(String id, ScheduleSettings settings) {
        Duration every = settings.every();
        return new Schedule(
                id,
                Objects.requireNonNull(settings.queue()),
                settings.type(),
                settings.key(),
                settings.payload(),
                every != null
                        ? new Timing.Every(every)
                        : new Timing.Cron(
                                CronExpression.parse(Objects.requireNonNull(settings.cron())),
                                ZoneId.of(settings.zone())),
                settings.misfire(),
                settings.misfireAfter(),
                settings.misfireMax(),
                settings.overlap(),
                settings.jitter());
    }

    /** Begins to fire. Does not wait for the store. */
    public void start() {
        runner.start();
    }

    /** Stops: begins no further firing, and waits for those that are under way. */
    @Override
    public void close() {
        runner.close();
        if (ownClient != null) {
            ownClient.close();
        }
    }
}
