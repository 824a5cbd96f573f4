package dev.tandem.server.runtime;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of each queue in the whole cluster, from Redis and the broker. Every server reports the same. The store and
 * the broker are asked only at a scrape, once for all metrics.
 */
final class ClusterQueueMetrics implements MeterBinder {

    private static final Map<String, ToDoubleFunction<TaskCounts>> STATES = Map.of(
            "active", TaskCounts::active,
            "scheduled", TaskCounts::scheduled,
            "retry", TaskCounts::retry,
            "parked", TaskCounts::parked,
            "dead", TaskCounts::dead);

    private final List<CachedQueue> cached = new ArrayList<>();

    ClusterQueueMetrics(Set<String> queues, Inspection inspection, Backlog backlog) {
        queues.forEach(queue -> cached.add(new CachedQueue(queue, inspection, backlog)));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (CachedQueue queue : cached) {
            STATES.forEach((state, count) -> Gauge.builder(
                            "tandem.queue.tasks", queue, it -> it.gauge(known -> count.applyAsDouble(known.counts)))
                    .description("Tasks in Redis's custody, in the whole cluster")
                    .tags("queue", queue.name, "state", state)
                    .register(registry));
            queue.onFirstAnswer(() -> bindHistories(queue, registry));
        }
    }

    /** Binds the metrics of which alerts compare the values of some minutes: one NaN among them would silence the alert. */
    private static void bindHistories(CachedQueue queue, MeterRegistry registry) {
        Gauge.builder("tandem.queue.blocked.keys", queue, it -> it.gauge(QueueState::blockedKeys))
                .description("Keys that wait for their first task, in the whole cluster")
                .tag("queue", queue.name)
                .register(registry);
        Gauge.builder("tandem.queue.lag", queue, it -> it.gauge(QueueState::lag))
                .description("Messages in the broker's custody")
                .tag("queue", queue.name)
                .register(registry);
        for (String outcome : PartitionInfo.TOTALS) {
            FunctionCounter.builder("tandem.queue.outcomes", queue, it -> it.total(outcome))
                    .description("What became of tasks since the beginning, in the whole cluster")
                    .tags("queue", queue.name, "outcome", outcome)
                    .register(registry);
        }
    }

    /** The state of one queue. @param lag NaN if the broker does not answer */
    private record QueueState(TaskCounts counts, long blockedKeys, double lag, Map<String, Long> totals) {}

    /** One queue with its last known state. */
    private static final class CachedQueue {
        private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
        private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(10);

        private final String name;
        private final Inspection inspection;
        private final Backlog backlog;
        private @Nullable QueueState current;
        private @Nullable QueueState last;
        private Runnable onFirstAnswer = () -> {};
        private long freshUntil = System.nanoTime();

        CachedQueue(String name, Inspection inspection, Backlog backlog) {
            this.name = name;
            this.inspection = inspection;
            this.backlog = backlog;
        }

        /** Sets what to do once Redis has answered for the first time. */
        synchronized void onFirstAnswer(Runnable action) {
            onFirstAnswer = action;
        }

        /** Returns NaN while Redis does not answer. */
        synchronized double gauge(ToDoubleFunction<QueueState> value) {
            refresh();
            return current == null ? Double.NaN : value.applyAsDouble(current);
        }

        /**
         * Returns the last known value while Redis does not answer, because a counter must not decrease. There is
         * no such counter until Redis has answered for the first time: after a 0 the history of the queue would be an
         * increase.
         */
        synchronized double total(String outcome) {
            refresh();
            return last == null ? Double.NaN : last.totals().getOrDefault(outcome, 0L);
        }

        private void refresh() {
            if (freshUntil - System.nanoTime() > 0) {
                return;
            }
            try {
                current = read();
                boolean first = last == null;
                last = current;
                freshUntil = System.nanoTime() + FRESH_NANOS;
                if (first) {
                    onFirstAnswer.run();
                }
            } catch (UnavailableException e) {
                current = null;
                freshUntil = System.nanoTime() + UNANSWERED_NANOS;
            }
        }

        private QueueState read() {
            List<PartitionInfo> partitions = inspection.partitions(name);
            Map<String, Long> lags = backlog.of(name);
            return new QueueState(
                    partitions.stream().map(PartitionInfo::counts).reduce(TaskCounts.NONE, TaskCounts::plus),
                    partitions.stream().mapToLong(PartitionInfo::blockedKeys).sum(),
                    lags.isEmpty()
                            ? Double.NaN
                            : lags.values().stream().mapToLong(lag -> lag).sum(),
                    PartitionInfo.totals(partitions));
        }
    }
}
