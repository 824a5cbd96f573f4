package dev.tandem.server.runtime;

import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.server.settings.QueueSettings;
import dev.tandem.task.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What the executor tells, as meters. On the hot path: one look-up and one timer a task. */
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

    /** What types beyond the configured ones are counted as: their number is the publishers' choice. */
    private static final String OTHER = "other";

    private record Name(String queue, String type, String outcome) {}

    private final MeterRegistry registry;
    private final Map<String, QueueSettings> queues;
    private final Set<String> hosted;
    private final Map<Name, Timer> timers = new ConcurrentHashMap<>();
    private final Map<Name, Counter> counters = new ConcurrentHashMap<>();

    /** @param hosted the types of the server's own handlers */
    public TaskMetrics(MeterRegistry registry, Map<String, QueueSettings> queues, Set<String> hosted) {
        this.registry = registry;
        this.queues = queues;
        this.hosted = hosted;
    }

    @Override
    public void finished(String queue, String type, Outcome outcome, long runNanos) {
        meter(timers, new Name(queue, known(queue, type), outcome(outcome)), this::timer)
                .record(runNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void timedOut(String queue, String type) {
        meter(counters, new Name(queue, known(queue, type), "timed-out"), this::counter)
                .increment();
    }

    @Override
    public void stuck(String queue, String type) {
        meter(counters, new Name(queue, known(queue, type), "stuck"), this::counter)
                .increment();
    }

    private static <M> M meter(Map<Name, M> meters, Name name, Function<Name, M> maker) {
        M found = meters.get(name);
        return found != null ? found : meters.computeIfAbsent(name, maker);
    }

    private Timer timer(Name name) {
        return Timer.builder("tandem.task.run")
                .description("Runs of handlers, by how they ended: succeeded, retried, dead or not-started")
                .tags("queue", name.queue(), "type", name.type(), "outcome", name.outcome())
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private Counter counter(Name name) {
        return Counter.builder("tandem.task." + name.outcome())
                .description(
                        name.outcome().equals("stuck")
                                ? "Handlers that ignored their interrupt"
                                : "Runs interrupted at their timeout")
                .tags("queue", name.queue(), "type", name.type())
                .register(registry);
    }

    private String known(String queue, String type) {
        QueueSettings settings = queues.get(queue);
        boolean known =
                hosted.contains(type) || (settings != null && settings.types().contains(type));
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
