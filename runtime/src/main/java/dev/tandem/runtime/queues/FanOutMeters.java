package dev.tandem.runtime.queues;

import dev.tandem.executor.FanOutMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The meters of fan-outs. The registry knows those that it has made already. */
final class FanOutMeters implements FanOutMetrics {

    private static final Duration[] BUCKETS = {
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofHours(1),
        Duration.ofHours(10)
    };

    private final MeterRegistry registry;

    FanOutMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void fannedOut(String queue, long subtasks) {
        Counter.builder("tandem.fan.out.subtasks")
                .description("Subtasks of the fan-outs whose masters have ended their streams in this process")
                .tags("queue", queue)
                .register(registry)
                .increment(subtasks);
    }

    @Override
    public void fanOutEnded(String queue, String state, long millis) {
        Timer.builder("tandem.fan.out.duration")
                .description("From the begin of a fan-out to the end of its last subtask")
                .tags("queue", queue, "state", state)
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(millis, TimeUnit.MILLISECONDS);
    }
}
