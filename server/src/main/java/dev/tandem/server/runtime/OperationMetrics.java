package dev.tandem.server.runtime;

import dev.tandem.server.operations.Operation;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the tasks that operations of this server have changed, or that were refused. Thread-safe. */
public final class OperationMetrics implements OperationRun.Counter {

    private final MeterRegistry registry;

    public OperationMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void count(Operation operation, long changed, long refused) {
        count(operation, "changed", changed);
        count(operation, "refused", refused);
    }

    private void count(Operation operation, String result, long tasks) {
        if (tasks > 0) {
            Counter.builder("tandem.operation.tasks")
                    .description("Tasks that operations of this server have changed, or that were refused")
                    .tag("queue", operation.queue())
                    .tag("action", operation.action().word())
                    .tag("result", result)
                    .register(registry)
                    .increment(tasks);
        }
    }
}
