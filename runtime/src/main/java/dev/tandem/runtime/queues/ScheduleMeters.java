package dev.tandem.runtime.queues;

import dev.tandem.runtime.schedules.ScheduleMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The meters of schedules. The registry knows those that it has made already. */
final class ScheduleMeters implements ScheduleMetrics {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofMinutes(10),
        Duration.ofHours(1)
    };

    private final MeterRegistry registry;

    ScheduleMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void fired(String schedule, String queue, long lateMillis) {
        counter("firings", schedule, queue, "Tasks that this process has submitted for the instants of a schedule")
                .increment();
        Timer.builder("tandem.schedule.lateness")
                .description("How long after its time the task of an instant was accepted by its broker")
                .tags("schedule", schedule, "queue", queue)
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(lateMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void missed(String schedule, String queue, int count) {
        counter(
                        "misfires",
                        schedule,
                        queue,
                        "Instants that passed without a task, because no process could fire them in time")
                .increment(count);
    }

    @Override
    public void skipped(String schedule, String queue) {
        counter(
                        "skipped",
                        schedule,
                        queue,
                        "Instants without a task, because the one of an earlier instant had not ended")
                .increment();
    }

    private Counter counter(String name, String schedule, String queue, String description) {
        return Counter.builder("tandem.schedule." + name)
                .description(description)
                .tags("schedule", schedule, "queue", queue)
                .register(registry);
    }
}
