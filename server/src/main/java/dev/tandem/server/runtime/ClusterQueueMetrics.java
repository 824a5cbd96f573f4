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
 * How each queue is in the whole cluster, as Redis and its broker know it; every server says the same. Asked only when
 * someone scrapes, once for all meters of a scrape.
 */
final class ClusterQueueMetrics implements MeterBinder {

    private static final Map<String, ToDoubleFunction<TaskCounts>> STATES = Map.of(
            "active", TaskCounts::active,
            "scheduled", TaskCounts::scheduled,
            "retry", TaskCounts::retry,
            "parked", TaskCounts::parked,
            "dead", TaskCounts::dead);

    private final List<Watched> watched = new ArrayList<>();

    ClusterQueueMetrics(Set<String> queues, Inspection inspection, Backlog backlog) {
        queues.forEach(queue -> watched.add(new Watched(queue, inspection, backlog)));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Watched queue : watched) {
            STATES.forEach((state, count) -> Gauge.builder(
                            "tandem.queue.tasks", queue, it -> it.gauge(facts -> count.applyAsDouble(facts.counts)))
                    .description("Tasks in Redis's custody, in the whole cluster")
                    .tags("queue", queue.name, "state", state)
                    .register(registry));
            Gauge.builder("tandem.queue.blocked.keys", queue, it -> it.gauge(Facts::blockedKeys))
                    .description("Keys that wait for their first task, in the whole cluster")
                    .tag("queue", queue.name)
                    .register(registry);
            Gauge.builder("tandem.queue.lag", queue, it -> it.gauge(Facts::lag))
                    .description("Messages in the broker's custody")
                    .tag("queue", queue.name)
                    .register(registry);
            for (String what : PartitionInfo.TOTALS) {
                FunctionCounter.builder("tandem.queue.outcomes", queue, it -> it.total(what))
                        .description("What became of tasks since the beginning, in the whole cluster")
                        .tags("queue", queue.name, "outcome", what)
                        .register(registry);
            }
        }
    }

    /** @param lag NaN while the broker can't be asked */
    private record Facts(TaskCounts counts, long blockedKeys, double lag, Map<String, Long> totals) {}

    /** One queue, and what was last heard of it. */
    private static final class Watched {
        private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
        private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(10);

        private final String name;
        private final Inspection inspection;
        private final Backlog backlog;
        private @Nullable Facts now;
        private @Nullable Facts last;
        private long until = System.nanoTime();

        Watched(String name, Inspection inspection, Backlog backlog) {
            this.name = name;
            this.inspection = inspection;
            this.backlog = backlog;
        }

        /** NaN while Redis can't be asked. */
        synchronized double gauge(ToDoubleFunction<Facts> value) {
            look();
            return now == null ? Double.NaN : value.applyAsDouble(now);
        }

        /** Never goes back while Redis can't be asked. */
        synchronized double total(String what) {
            look();
            return last == null ? 0 : last.totals().getOrDefault(what, 0L);
        }

        private void look() {
            if (until - System.nanoTime() > 0) {
                return;
            }
            try {
                now = ask();
                last = now;
                until = System.nanoTime() + FRESH_NANOS;
            } catch (UnavailableException e) {
                now = null;
                until = System.nanoTime() + UNANSWERED_NANOS;
            }
        }

        private Facts ask() {
            List<PartitionInfo> partitions = inspection.partitions(name);
            Map<String, Long> lags = backlog.of(name);
            return new Facts(
                    partitions.stream().map(PartitionInfo::counts).reduce(TaskCounts.NONE, TaskCounts::plus),
                    partitions.stream().mapToLong(PartitionInfo::blockedKeys).sum(),
                    lags.isEmpty()
                            ? Double.NaN
                            : lags.values().stream().mapToLong(lag -> lag).sum(),
                    PartitionInfo.totals(partitions));
        }
    }
}
