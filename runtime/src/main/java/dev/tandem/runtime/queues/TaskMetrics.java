package dev.tandem.runtime.queues;

import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.FanOutMetrics;
import dev.tandem.executor.RunMeasurement;
import dev.tandem.executor.StatisticsMetrics;
import dev.tandem.runtime.events.EventMetrics;
import dev.tandem.runtime.schedules.ScheduleMetrics;
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
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of the runs, the schedules, the fan-outs and the events in this process. On the hot path: one look-up and three meters at
 * most for each task.
 */
public final class TaskMetrics
        implements ExecutorMetrics, ScheduleMetrics, FanOutMetrics, EventMetrics, StatisticsMetrics {

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

    /** Tasks wait for longer than they run. */
    private static final Duration[] WAIT_BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofMinutes(10),
        Duration.ofHours(1)
    };

    private static final double[] ATTEMPT_BUCKETS = {1, 2, 3, 5, 8, 13};

    private static final double[] SIZES = {1, 2, 5, 10, 20, 50, 100, 200};

    /** The tag of types that are not configured. Publishers could otherwise create any number of metrics. */
    private static final String OTHER = "other";

    /** The number of types with meters of their own, where a program does not list its types. */
    static final int MOST_TYPES = 200;

    private record Tags(String queue, String type, String outcome) {}

    private final MeterRegistry registry;
    private final ScheduleMeters schedules;
    private final FanOutMeters fanOuts;
    private final EventMeters events;
    private final BiPredicate<String, String> known;
    private final Map<Tags, RunMeters> runs = new ConcurrentHashMap<>();
    private final Map<Tags, DistributionSummary> batches = new ConcurrentHashMap<>();
    private final Map<String, Counter> duplicates = new ConcurrentHashMap<>();
    private final Map<Tags, Counter> counters = new ConcurrentHashMap<>();

    /** @param handled the types of the handlers of this process */
    public TaskMetrics(MeterRegistry registry, Map<String, QueueSettings> queues, Set<String> handled) {
        this(registry, known(queues, handled, ConcurrentHashMap.newKeySet()));
    }

    private static BiPredicate<String, String> known(
            Map<String, QueueSettings> queues, Set<String> handled, Set<String> pulled) {
        return (queue, type) -> {
            QueueSettings settings = queues.get(queue);
            if (settings != null && settings.isLeased()) {
                // Nobody says which types pull workers know.
                return pulled.contains(type) || pulled.size() < MOST_TYPES && pulled.add(type);
            }
            return handled.contains(type)
                    || (settings != null && settings.types().contains(type));
        };
    }

    private TaskMetrics(MeterRegistry registry, BiPredicate<String, String> known) {
        this.registry = registry;
        this.schedules = new ScheduleMeters(registry);
        this.fanOuts = new FanOutMeters(registry);
        this.events = new EventMeters(registry);
        this.known = known;
    }

    /** Returns metrics for a program whose handlers have up to 200 types. Those of further types are counted together. */
    public static TaskMetrics of(MeterRegistry registry) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        return new TaskMetrics(
                registry, (queue, type) -> seen.contains(type) || (seen.size() < MOST_TYPES && seen.add(type)));
    }

    @Override
    public void ended(RunMeasurement run) {
        String type = known(run.queue(), run.type());
        meter(runs, new Tags(run.queue(), type, outcome(run.outcome())), RunMeters::new)
                .record(run);
    }

    @Override
    public void published(String queue, int count) {
        events.published(queue, count);
    }

    @Override
    public void dropped(String queue, long count) {
        events.dropped(queue, count);
    }

    @Override
    public void waiting(String queue, String partition, long bytes) {
        events.waiting(queue, partition, bytes);
    }

    @Override
    public void lost(String queue, long runs) {
        Counter.builder("tandem.statistics.lost")
                .description("Runs that are missing in the statistics of the queue, because Redis did not take them")
                .tags("queue", queue)
                .register(registry)
                .increment(runs);
    }

    @Override
    public void fannedOut(String queue, long subtasks) {
        fanOuts.fannedOut(queue, subtasks);
    }

    @Override
    public void fanOutEnded(String queue, String state, long millis) {
        fanOuts.fanOutEnded(queue, state, millis);
    }

    @Override
    public void fired(String schedule, String queue, long lateMillis) {
        schedules.fired(schedule, queue, lateMillis);
    }

    @Override
    public void missed(String schedule, String queue, int count) {
        schedules.missed(schedule, queue, count);
    }

    @Override
    public void skipped(String schedule, String queue) {
        schedules.skipped(schedule, queue);
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

    @Override
    public void duplicate(String queue) {
        meter(duplicates, queue, this::duplicates).increment();
    }

    private Counter duplicates(String queue) {
        return Counter.builder("tandem.task.duplicates")
                .description("Tasks that ended without a run, because another one has their deduplication key")
                .tags("queue", queue)
                .register(registry);
    }

    private DistributionSummary summary(Tags tags) {
        return DistributionSummary.builder("tandem.task.batch")
                .description("Tasks of one call of a batch handler")
                .tags("queue", tags.queue(), "type", tags.type())
                .serviceLevelObjectives(SIZES)
                .register(registry);
    }

    private static <K, M> M meter(Map<K, M> meters, K tags, Function<K, M> maker) {
        M found = meters.get(tags);
        return found != null ? found : meters.computeIfAbsent(tags, maker);
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
        return known.test(queue, type) ? type : OTHER;
    }

    /** The meters of the runs of one type with one outcome. Meters that are never used do not appear. */
    private final class RunMeters {

        private final Tags tags;
        private final Timer run;
        private volatile @Nullable Timer wait;
        private volatile @Nullable Timer lateness;
        private volatile @Nullable DistributionSummary attempts;

        RunMeters(Tags tags) {
            this.tags = tags;
            this.run = Timer.builder("tandem.task.run")
                    .description(
                            "Runs of handlers, by how they ended: succeeded, retried, dead, snoozed, expired, cancelled, duplicate or not-started")
                    .tags("queue", tags.queue(), "type", tags.type(), "outcome", tags.outcome())
                    .serviceLevelObjectives(BUCKETS)
                    .register(registry);
        }

        void record(RunMeasurement measured) {
            run.record(measured.runNanos(), TimeUnit.NANOSECONDS);
            if (measured.waitMillis() != RunMeasurement.UNKNOWN) {
                (measured.scheduled() ? lateness() : sinceSubmission())
                        .record(measured.waitMillis(), TimeUnit.MILLISECONDS);
            }
            if (measured.outcome() instanceof Outcome.Succeeded || measured.outcome() instanceof Outcome.Dead) {
                attempts().record(measured.attempt());
            }
        }

        private Timer sinceSubmission() {
            Timer known = wait;
            if (known == null) {
                known = waits("wait", "From the publication of a task without an earliest start to its first start");
                wait = known;
            }
            return known;
        }

        private Timer lateness() {
            Timer known = lateness;
            if (known == null) {
                known = waits("lateness", "From the earliest start that a task was given to its first start");
                lateness = known;
            }
            return known;
        }

        /** Returns the same timer for all outcomes of a type. */
        private Timer waits(String name, String description) {
            return Timer.builder("tandem.task." + name)
                    .description(description)
                    .tags("queue", tags.queue(), "type", tags.type())
                    .serviceLevelObjectives(WAIT_BUCKETS)
                    .register(registry);
        }

        private DistributionSummary attempts() {
            DistributionSummary known = attempts;
            if (known == null) {
                known = DistributionSummary.builder("tandem.task.attempts")
                        .description("Attempts of tasks that ended, by how they ended: succeeded or dead")
                        .tags("queue", tags.queue(), "type", tags.type(), "outcome", tags.outcome())
                        .serviceLevelObjectives(ATTEMPT_BUCKETS)
                        .register(registry);
                attempts = known;
            }
            return known;
        }
    }

    private static String outcome(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            return "succeeded";
        } else if (outcome instanceof Outcome.Retry) {
            return "retried";
        } else if (outcome instanceof Outcome.Dead) {
            return "dead";
        }
        if (outcome instanceof Outcome.Expired) {
            return "expired";
        } else if (outcome instanceof Outcome.Cancelled) {
            return "cancelled";
        }
        if (outcome instanceof Outcome.Duplicate) {
            return "duplicate";
        }
        return outcome instanceof Outcome.Snoozed ? "snoozed" : "not-started";
    }
}
