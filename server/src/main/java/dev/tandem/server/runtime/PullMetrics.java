package dev.tandem.server.runtime;

import dev.tandem.executor.pull.TaskLeases;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Metrics of the tasks of this process's partitions that pull workers have, read at each scrape. */
final class PullMetrics implements MeterBinder {

    private final Platform platform;
    private final Collection<String> queues;

    /** @param queues those whose tasks are pulled */
    PullMetrics(Platform platform, Collection<String> queues) {
        this.platform = platform;
        this.queues = queues;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (String queue : queues) {
            TaskLeases leases = platform.leases(queue);
            if (leases == null) {
                continue;
            }
            gauge(registry, queue, leases, "tandem.leases", "Tasks that pull workers have", TaskLeases.Status::leased);
            gauge(
                    registry,
                    queue,
                    leases,
                    "tandem.leases.startable",
                    "About how many more tasks could start if pull workers asked for them",
                    TaskLeases.Status::startable);
            gauge(
                    registry,
                    queue,
                    leases,
                    "tandem.leases.calls",
                    "Calls of pull workers that wait for tasks of this process",
                    TaskLeases.Status::calls);
            FunctionCounter.builder(
                            "tandem.leases.lapsed", leases, it -> it.status().lapsed())
                    .description("Pull leases that ran out, because their workers said nothing")
                    .tag("queue", queue)
                    .register(registry);
        }
    }

    private static void gauge(
            MeterRegistry registry,
            String queue,
            TaskLeases leases,
            String name,
            String description,
            ToDoubleFunction<TaskLeases.Status> value) {
        Gauge.builder(name, leases, it -> value.applyAsDouble(it.status()))
                .description(description)
                .tag("queue", queue)
                .register(registry);
    }
}
