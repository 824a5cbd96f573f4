package dev.tandem.runtime.queues;

import dev.tandem.executor.Executor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.LimitStatus;
import dev.tandem.executor.LogPolicy;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.executor.RateStatus;
import dev.tandem.executor.StatisticsWriter;
import dev.tandem.executor.TaskLogContext;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.rabbit.RabbitEventQueue;
import dev.tandem.runtime.events.EventService;
import dev.tandem.runtime.masking.Echoes;
import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.settings.KeptEnds;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.MemoryBudget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * Runs the tasks of all queues in the settings. Starts without waiting for any broker: each part keeps trying to connect, and
 * says so in the log and in the status. Drains when it stops. Thread-safe.
 */
public final class QueueRuntime {

    private static final Logger log = LoggerFactory.getLogger(QueueRuntime.class);

    private final TandemSettings settings;
    private final RedisStore store;
    private final Map<String, QueueSource> sources = new LinkedHashMap<>();
    private final FanOutService fanOuts;
    private final EventService events;
    private final @Nullable StatisticsWriter statistics;
    private final Executor executor;
    private final Membership membership;
    private final FailureWatch failures;

    /**
     * Builds the executor without starting it.
     *
     * @param settings all of its queues are run
     * @param store see {@link StoreSettings#open}; to be closed after {@link #stop}, by whoever opened it
     * @param fanOuts what its tasks fan out with; started and closed with this
     * @param virtualThreads whether handlers run on virtual threads; null means wherever Java has them
     * @param keeper the queue of RabbitMQ that keeps events for the archive; null if this process has none
     */
    public QueueRuntime(
            TandemSettings settings,
            RedisStore store,
            QueueHandlers handlers,
            ExecutorMetrics metrics,
            FanOutService fanOuts,
            @Nullable Boolean virtualThreads,
            @Nullable RabbitEventQueue keeper) {
        this.settings = settings;
        this.store = store;
        this.fanOuts = fanOuts;
        this.events = EventPublishers.service(settings, store, metrics, keeper);
        this.statistics = settings.statistics().enabled() ? statistics(metrics) : null;
        this.executor = executor(handlers, statistics == null ? metrics : statistics, virtualThreads);
        this.membership = new Membership(settings, store, executor, sources.values());
        // Its shutdown hook stops this runtime, so the exit cannot wait on the thread that does so.
        Runnable end = () -> new Thread(() -> System.exit(FailureWatch.EXIT_STATUS), "tandem-exit").start();
        this.failures = new FailureWatch(executor::status, settings.executor().onFailure(), end);
    }

    private StatisticsWriter statistics(ExecutorMetrics metrics) {
        return new StatisticsWriter(
                settings.queues().keySet(),
                (queue, tally) -> store.statistics()
                        .add(queue, tally, settings.statistics().keep()),
                metrics);
    }

    private Executor executor(QueueHandlers handlers, ExecutorMetrics metrics, @Nullable Boolean virtualThreads) {
        DataSize limit = settings.executor().memory();
        MemoryBudget memory = limit == null ? MemoryBudget.ofHeap() : MemoryBudget.ofBytes(limit.toBytes());
        String id = Executor.newId(ExecutorId.of(settings.executor()));
        QueueSourceFactory factory = new QueueSourceFactory(settings, memory, id);
        Executor.Builder builder = Executor.builder()
                .uniqueId(id)
                .concurrency(settings.executor().concurrency())
                .drainTimeout(settings.executor().drainTimeout())
                .memory(memory)
                .settings(PolicySettings.core(settings))
                .limits(LimitSpecs.of(settings))
                .rates(LimitSpecs.rates(settings))
                .metrics(metrics);
        if (virtualThreads != null) {
            builder.virtualThreads(virtualThreads);
        }
        settings.queues().forEach((name, queue) -> {
            QueueSource source = factory.of(name, queue);
            sources.put(name, source);
            QueueSpec.Builder spec = QueueSpecs.of(name, queue, source.source(), store)
                    .fanOuts(fanOuts.fanOuts())
                    .log(new LogPolicy(settings.log().keys(), mask(queue.mask())));
            if (settings.log().mdc()) {
                // Before the interceptors of programs, so that their log lines name the task too.
                spec.interceptor(new TaskLogContext(settings.log().keys()));
            }
            handlers.addTo(name, queue, spec);
            builder.queue(spec.build());
        });
        return builder.build();
    }

    private static LogPolicy.ErrorMask mask(List<String> pointers) {
        return (payload, error) ->
                String.valueOf(Echoes.of(pointers, () -> payload).hide(error));
    }

    /** Returns the queues with rate limits. */
    public static Set<String> rateLimited(TandemSettings settings) {
        return LimitSpecs.rates(settings).keySet();
    }

    /** Starts all queues: at once, or as soon as this process holds its fixed id. */
    public void start() {
        KeptEnds.warnings(settings.queues()).forEach(log::warn);
        failures.start();
        events.start();
        if (statistics != null) {
            statistics.start();
        }
        membership.start();
        fanOuts.start();
    }

    /** Releases all partitions, so that other executors go on with them at once, and waits for the running handlers. */
    public void stop() {
        failures.close();
        events.stopping();
        membership.stop();
        if (statistics != null) {
            statistics.close();
        }
        events.close();
        fanOuts.close();
    }

    /** Returns the id of the executor. */
    public String executorId() {
        return executor.id();
    }

    /** Returns why this process runs no tasks although it should; null if it does. */
    public @Nullable String problem() {
        return membership.problem();
    }

    /** Returns the status of the queues, in the order of the settings. */
    public List<QueueStatus> status() {
        return executor.status();
    }

    /** Returns what this process has of each limit of its queues. */
    public List<LimitStatus> limits() {
        return executor.limits();
    }

    /** Returns what this process does for each rate limit of its queues. */
    public List<RateStatus> rates() {
        return executor.rates();
    }

    /** Returns the leases of the tasks of a queue in this process; null if it does not run the queue, or they are not pulled. */
    public @Nullable TaskLeases leases(String queue) {
        return sources.containsKey(queue) ? executor.leases(queue) : null;
    }

    /** Returns whether Redis can be reached. */
    public Reachability redis() {
        RedisStore.Status status = store.status();
        return new Reachability(status.connected(), status.detail());
    }

    /** Returns how many records of the queue lay outside of their keys' partitions. */
    public long misplaced(String queue) {
        QueueSource source = sources.get(queue);
        return source == null ? 0 : source.misplaced().getAsLong();
    }

    /** Says which of the broker's queues nobody consumes, because another ordering has left them; null if there are none. */
    public @Nullable String forgotten(String queue) {
        QueueSource source = sources.get(queue);
        return source == null ? null : source.forgotten().get();
    }

    /** Returns whether the queue's broker can be reached. */
    public Reachability reach(String queue) {
        QueueSource source = sources.get(queue);
        return source == null
                ? new Reachability(false, "there is no such queue")
                : source.reachability().get();
    }
}
