package dev.tandem.runtime.queues;

import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.task.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Metrics of the runs in this process. On the hot path: one look-up and one timer for each task. */
public final class TaskMetrics implements ExecutorMetrics {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60)
    };

    private static final double[] SIZES = {1, 2, 5, 10, 20, 50, 100, 200};

    /** The tag of types that are not configured. Publishers could otherwise create any number of metrics. */
    private static final String OTHER = "other";

    private record Tags(String queue, String type, String outcome) {}

    private final MeterRegistry registry;
    private final Map<String, QueueSettings> queues;
    private final Set<String> handled;
    private final Map<Tags, Timer> timers = new ConcurrentHashMap<>();
    private final Map<Tags, DistributionSummary> batches = new ConcurrentHashMap<>();
    private final Map<Tags, Counter> counters = new ConcurrentHashMap<>();

    /** @param handled the types of the handlers of this process */
    public TaskMetrics(MeterRegistry registry, Map<String, QueueSettings> queues, Set<String> handled) {
        this.registry = registry;
        this.queues = queues;
        this.handled = handled;
    }

    @Override
    public void finished(String queue, String type, Outcome outcome, long runNanos) {
        meter(timers, new Tags(queue, known(queue, type), outcome(outcome)), this::timer)
                .record(runNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void timedOut(String queue, String type) {
        meter(counters, new Tags(queue, known(queue, type), "timed-out"), this::counter)
                .increment();
    }

    @Override
    public void stuck(String queue, String type) {
        meter(counters, new Tags(queue, known(queue, type), "stuck"), this::counter)
                .increment();
    }

    @Override
    public void batch(String queue, String type, int size) {
        meter(batches, new Tags(queue, known(queue, type), "batch"), this::summary)
                .record(size);
    }

    private DistributionSummary summary(Tags tags) {
        return DistributionSummary.builder("tandem.task.batch")
                .description("Tasks of one call of a batch handler")
                .tags("queue", tags.queue(), "type", tags.type())
                .serviceLevelObjectives(SIZES)
                .register(registry);
    }

    private static <M> M meter(Map<Tags, M> meters, Tags tags, Function<Tags, M> maker) {
        M found = meters.get(tags);
        return found != null ? found : meters.computeIfAbsent(tags, maker);
    }

    private Timer timer(Tags tags) {
        return Timer.builder("tandem.task.run")
                .description("Runs of handlers, by how they ended: succeeded, retried, dead or not-started")
                .tags("queue", tags.queue(), "type", tags.type(), "outcome", tags.outcome())
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private Counter counter(Tags tags) {
        return Counter.builder("tandem.task." + tags.outcome())
                .description(
                        tags.outcome().equals("stuck")
                                ? "Handlers that ignored their interrupt"
                                : "Runs interrupted at their timeout")
                .tags("queue", tags.queue(), "type", tags.type())
                .register(registry);
    }

    private String known(String queue, String type) {
        QueueSettings settings = queues.get(queue);
        boolean known =
                handled.contains(type) || (settings != null && settings.types().contains(type));
        return known ? type : OTHER;
    }

    private static String outcome(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            return "succeeded";
        } else if (outcome instanceof Outcome.Retry) {
            return "retried";
        } else if (outcome instanceof Outcome.Dead) {
            return "dead";
        }
        return "not-started";
    }
}
