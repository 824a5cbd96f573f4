package dev.tandem.runtime.schedules;

import dev.tandem.api.TaskClient;
import dev.tandem.runtime.settings.ScheduleSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.RedisStore;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The schedules of a process: made of its settings, and run. */
public final class Schedules implements AutoCloseable {

    private final TaskEffects effects;
    private final ScheduleRunner runner;

    private Schedules(TaskEffects effects, ScheduleRunner runner) {
        this.effects = effects;
        this.runner = runner;
    }

    /**
     * Returns what fires the schedules of the settings, not started yet.
     *
     * @param client has the queues of all schedules. Not closed here
     * @param program names this process, unlike any other
     */
    public static Schedules of(
            TandemSettings settings, RedisStore store, TaskClient client, String program, ScheduleMetrics metrics) {
        TaskEffects effects = new TaskEffects(client, store.inspector());
        ScheduleRunner runner = new ScheduleRunner(
                of(settings),
                store.schedules(),
                effects,
                FiringClock.ofStore(store.schedules()),
                program,
                metrics);
        return new Schedules(effects, runner);
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

    private static Schedule of(String id, ScheduleSettings settings) {
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

    /** Begins no firing any more, and waits for those that are under way. */
    @Override
    public void close() {
        runner.close();
        effects.close();
    }
}
