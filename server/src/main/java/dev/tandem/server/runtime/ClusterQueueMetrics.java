package dev.tandem.server.runtime;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.OldestWait;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueFacts;
import dev.tandem.server.inspect.TaskCounts;
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

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final List<CachedQueue> cached = new ArrayList<>();
    private final Inspection inspection;
    private final Backlog backlog;
    private long freshUntil = System.nanoTime();

    ClusterQueueMetrics(Set<String> queues, Inspection inspection, Backlog backlog) {
        this.inspection = inspection;
        this.backlog = backlog;
        queues.forEach(queue -> cached.add(new CachedQueue(queue)));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (CachedQueue queue : cached) {
            STATES.forEach((state, count) -> Gauge.builder(
                            "tandem.queue.tasks", queue, it -> it.gauge(known -> count.applyAsDouble(known.counts)))
                    .description("Tasks in Redis's custody, in the whole cluster")
                    .tags("queue", queue.name, "state", state)
                    .register(registry));
            Gauge.builder("tandem.queue.tasks.in.lines", queue, it -> it.gauge(QueueState::inLines))
                    .description("Scheduled tasks that wait for the turns of their tenants, in the whole cluster")
                    .tag("queue", queue.name)
                    .register(registry);
            queue.onFirstAnswer(() -> bindHistories(queue, registry));
        }
    }

    /** Binds the metrics of which alerts compare the values of some minutes: one NaN among them would silence the alert. */
    private void bindHistories(CachedQueue queue, MeterRegistry registry) {
        Gauge.builder("tandem.queue.blocked.keys", queue, it -> it.gauge(QueueState::blockedKeys))
                .description("Keys that wait for their first task, in the whole cluster")
                .tag("queue", queue.name)
                .register(registry);
        Gauge.builder("tandem.queue.lag", queue, it -> it.gauge(QueueState::lag))
                .description("Messages in the broker's custody")
                .tag("queue", queue.name)
                .register(registry);
        Gauge.builder("tandem.queue.oldest.wait", queue, it -> it.gauge(QueueState::oldestWaitSeconds))
                .description("For how long the oldest task has waited that could start, in the whole cluster")
                .baseUnit("seconds")
                .tag("queue", queue.name)
                .register(registry);
        for (String outcome : PartitionInfo.TOTALS) {
            FunctionCounter.builder("tandem.queue.outcomes", queue, it -> it.total(outcome))
                    .description("What became of tasks since the beginning, in the whole cluster")
                    .tags("queue", queue.name, "outcome", outcome)
                    .register(registry);
        }
    }

    /** The state of one queue. @param oldestWaitSeconds NaN if that is not known @param lag NaN if the broker does not answer */
    private record QueueState(
            TaskCounts counts,
            long inLines,
            long blockedKeys,
            double oldestWaitSeconds,
            double lag,
            Map<String, Long> totals) {}

    /** One queue with its last known state. The lock of the outer object guards it. */
    private final class CachedQueue {

        private final String name;
        private @Nullable QueueState current;
        private @Nullable QueueState last;
        private Runnable onFirstAnswer = () -> {};

        CachedQueue(String name) {
            this.name = name;
        }

        /** Sets what to do once Redis has answered for the first time. */
        void onFirstAnswer(Runnable action) {
            synchronized (ClusterQueueMetrics.this) {
                onFirstAnswer = action;
            }
        }

        /** Returns NaN while Redis does not answer. */
        double gauge(ToDoubleFunction<QueueState> value) {
            synchronized (ClusterQueueMetrics.this) {
                refresh();
                return current == null ? Double.NaN : value.applyAsDouble(current);
            }
        }

        /**
         * Returns the last known value while Redis does not answer, because a counter must not decrease. There is
         * no such counter until Redis has answered for the first time: after a 0 the history of the queue would be an
         * increase.
         */
        double total(String outcome) {
            synchronized (ClusterQueueMetrics.this) {
                refresh();
                return last == null ? Double.NaN : last.totals().getOrDefault(outcome, 0L);
            }
        }

        private void set(QueueFacts facts) {
            if (facts.unavailable() != null) {
                current = null;
                return;
            }
            boolean first = last == null;
            current = state(name, facts.partitions());
            last = current;
            if (first) {
                onFirstAnswer.run();
            }
        }
    }

    /** Asks for all queues at once, so that a silent Redis delays a scrape by one timeout. */
    private void refresh() {
        if (freshUntil - System.nanoTime() > 0) {
            return;
        }
        Map<String, QueueFacts> facts = inspection
                .overview(cached.stream().map(queue -> queue.name).toList())
                .queues();
        boolean answered = facts.values().stream().allMatch(each -> each.unavailable() == null);
        freshUntil = System.nanoTime() + (answered ? FRESH_NANOS : UNANSWERED_NANOS);
        cached.forEach(queue -> queue.set(facts.getOrDefault(queue.name, QueueFacts.unknown(""))));
    }

    private QueueState state(String name, List<PartitionInfo> partitions) {
        Map<String, Long> lags = backlog.of(name);
        Long oldestMillis = OldestWait.of(partitions, lags);
        return new QueueState(
                partitions.stream().map(PartitionInfo::counts).reduce(TaskCounts.NONE, TaskCounts::plus),
                partitions.stream().mapToLong(PartitionInfo::inLines).sum(),
                partitions.stream().mapToLong(PartitionInfo::blockedKeys).sum(),
                oldestMillis == null ? Double.NaN : oldestMillis / 1_000.0,
                lags.isEmpty()
                        ? Double.NaN
                        : lags.values().stream().mapToLong(lag -> lag).sum(),
                PartitionInfo.totals(partitions));
    }
}
