package dev.tandem.server.runtime;

import dev.tandem.executor.Executor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.Handler;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.runtime.QueueSource.Reachability;
import dev.tandem.server.settings.QueueSettings;
import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.server.settings.TandemSettings;
import dev.tandem.server.settings.TandemSettings.Durability;
import dev.tandem.server.settings.TandemSettings.HistorySettings;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.unit.DataSize;

/**
 * Runs all queues of this process. Starts without waiting for any broker: each part keeps trying to connect, and
 * reports so in the log and in the health. Drains when it stops.
 */
public final class Platform implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Platform.class);

    private final TandemSettings settings;
    private final RedisStore store;
    private final Map<String, QueueSource> sources = new LinkedHashMap<>();
    private final List<AutoCloseable> closing = new ArrayList<>();
    private final @Nullable Executor executor;
    /** Null if the executor knows whether the brokers can be reached. */
    private final @Nullable BrokerWatch watch;

    private final FailureWatch failures;
    private final @Nullable Membership membership;
    private volatile boolean running;

    public Platform(TandemSettings settings, HostedHandlers handlers, ExecutorMetrics metrics) {
        this.settings = settings;
        this.store = RedisStore.open(redis(settings.redis()), retention(settings.history()));
        this.executor = settings.executor().enabled() ? executor(handlers, metrics) : null;
        this.membership = executor == null ? null : new Membership(settings, store, executor, sources.values());
        this.watch = executor == null ? watch() : null;
        // Its shutdown hook stops the platform, so the exit cannot wait on the thread that the platform stops.
        Runnable end = () -> new Thread(() -> System.exit(FailureWatch.EXIT_STATUS), "tandem-exit").start();
        this.failures = new FailureWatch(this::status, settings.executor().onFailure(), end);
    }

    private BrokerWatch watch() {
        KafkaBacklog kafka = new KafkaBacklog(settings.kafka());
        RabbitBacklog rabbit = new RabbitBacklog(settings.rabbit().uri());
        closing.add(kafka);
        closing.add(rabbit);
        Map<SourceType, Callable<?>> brokers = Map.of(SourceType.KAFKA, kafka::ping, SourceType.RABBIT, rabbit::ping);
        return new BrokerWatch(
                settings.queues().values(), brokers, () -> store.ping().get());
    }

    private Executor executor(HostedHandlers handlers, ExecutorMetrics metrics) {
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
                .metrics(metrics);
        settings.queues().forEach((name, queue) -> {
            QueueSource source = factory.of(name, queue);
            sources.put(name, source);
            builder.queue(spec(name, queue, source, handlers.of(queue)));
        });
        return builder.build();
    }

    private static Retention retention(HistorySettings history) {
        return new Retention(
                history.deadAge(),
                history.deadMax(),
                history.succeededAge(),
                history.succeededMax(),
                history.succeededBytes().toBytes());
    }

    private static RedisSettings redis(TandemSettings.RedisSettings redis) {
        // The address of Sentinels is one URI that contains commas.
        List<String> uris = redis.uri().contains("-sentinel://")
                ? List.of(redis.uri())
                : Arrays.stream(redis.uri().split(",")).map(String::strip).toList();
        return new RedisSettings(
                uris,
                redis.cluster(),
                redis.namespace(),
                redis.answerTimeout(),
                redis.requiredReplicas(),
                redis.horizon(),
                redis.durability() == Durability.HORIZON,
                redis.headroom());
    }

    private QueueSpec spec(String name, QueueSettings queue, QueueSource source, Map<String, Handler> handlers) {
        QueueSpec.Builder spec = QueueSpec.queue(name)
                .source(source.source())
                .store(store)
                .policy(PolicySettings.queue(queue))
                .custody(PolicySettings.custody(queue))
                .breaker(PolicySettings.breaker(queue.breaker()))
                .logKeys(settings.log().keys())
                .timeout(queue.timeout())
                .timeoutLimit(queue.effectiveTimeoutLimit())
                .maxAttempts(queue.maxAttempts())
                .maxAttemptsLimit(queue.effectiveMaxAttemptsLimit())
                .retry(PolicySettings.retry(queue.backoff()));
        handlers.forEach(spec::handler);
        String defaultType = queue.handler();
        if (queue.effectiveSource() == SourceType.KAFKA) {
            spec.topic(queue.effectiveTopic(name));
        }
        if (defaultType == null) {
            log.warn(
                    "Queue {} has no handler: tasks without a type will be dead. Set tandem.queues.{}.handler",
                    name,
                    name);
            return spec.build();
        }
        spec.defaultType(defaultType);
        Handler handler = Objects.requireNonNull(handlers.get(defaultType), defaultType);
        for (String type : queue.types()) {
            if (type.equals("*")) {
                spec.fallback(handler);
            } else if (!handlers.containsKey(type)) {
                spec.handler(type, handler);
            }
        }
        return spec.build();
    }

    @Override
    public void start() {
        failures.start();
        if (membership != null) {
            membership.start();
        }
        running = true;
    }

    @Override
    public void stop() {
        close(failures);
        if (watch != null) {
            close(watch);
        }
        closing.forEach(Platform::close);
        if (membership != null) {
            membership.stop();
        }
        store.close();
        running = false;
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.warn("Failed to close {}: {}", part.getClass().getSimpleName(), e.toString());
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    public Inspection inspection() {
        Map<String, QueuePolicy> policies = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> policies.put(name, PolicySettings.queue(queue)));
        return new RedisInspection(policies, store);
    }

    /** Returns the names of the partitions of a queue that nobody owns, given those that its broker has. */
    List<String> unowned(String queue, Set<String> ofBroker) {
        return RedisCalls.await(store.inspector().unowned(queue, ofBroker)).stream()
                .map(Partition::name)
                .toList();
    }

    public Administration administration() {
        return new RedisAdministration(store);
    }

    /** Whether Redis can be reached. */
    Reachability redis() {
        if (watch != null) {
            return watch.redis();
        }
        RedisStore.Status status = store.status();
        return new Reachability(status.connected(), status.detail());
    }

    public TandemSettings settings() {
        return settings;
    }

    /** Returns the id of this process's executor; null if it runs no tasks. */
    @Nullable
    String executorId() {
        return executor == null ? null : executor.id();
    }

    /** Returns why this process runs no tasks although it should; null if it does. */
    @Nullable
    String problem() {
        return membership == null ? null : membership.problem();
    }

    /** Returns the status of the queues that this process runs, in the order of the settings. */
    public List<QueueStatus> status() {
        return executor == null ? List.of() : executor.status();
    }

    /** Returns what this process knows of a queue. */
    LocalQueue local(String queue) {
        Reachability broker = reach(queue);
        Reachability redis = redis();
        Optional<QueueStatus> found =
                status().stream().filter(status -> status.queue().equals(queue)).findFirst();
        return new LocalQueue(
                broker.reached() ? null : broker.detail(),
                redis.reached() ? null : redis.detail(),
                found.map(QueueStatus::problem).orElse(null),
                found.map(QueueStatus::withheld).orElse(null),
                found.map(QueueStatus::slowed).orElse(false),
                found.map(status -> status.partitionsWithoutRoom() > 0).orElse(false),
                found.map(QueueStatus::waits).orElse(null));
    }

    /** Returns how many records of the queue lay outside of their keys' partitions. */
    long misplaced(String queue) {
        QueueSource source = sources.get(queue);
        return source == null ? 0 : source.misplaced().getAsLong();
    }

    /** Whether the queue's broker can be reached from this process. */
    Reachability reach(String queue) {
        QueueSettings settingsOf = settings.queues().get(queue);
        if (watch != null && settingsOf != null) {
            return watch.of(settingsOf.effectiveSource());
        }
        QueueSource source = sources.get(queue);
        return source == null
                ? new Reachability(false, "there is no such queue")
                : source.reachability().get();
    }
}
