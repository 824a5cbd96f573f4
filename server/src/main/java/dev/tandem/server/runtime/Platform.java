package dev.tandem.server.runtime;

import dev.tandem.executor.Executor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.LimitStatus;
import dev.tandem.executor.QueueStatus;
import dev.tandem.executor.RateStatus;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.runtime.queues.FanOutService;
import dev.tandem.runtime.queues.PolicySettings;
import dev.tandem.runtime.queues.QueueRuntime;
import dev.tandem.runtime.queues.QueueSource.Reachability;
import dev.tandem.runtime.queues.Schedules;
import dev.tandem.runtime.queues.StoreSettings;
import dev.tandem.runtime.schedules.ScheduleMetrics;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.IdempotencySettings;
import dev.tandem.scheduler.RedisExam;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.ServerRecords;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.archive.PostgresArchive;
import dev.tandem.server.handlers.ConfiguredHandlers;
import dev.tandem.server.handlers.HostedHandlers;
import dev.tandem.server.handlers.PostedQueues;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.inspect.LimitAdministration;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.OwnerGaps;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.pull.PullExchange;
import dev.tandem.server.pull.PulledTasks;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import tools.jackson.databind.json.JsonMapper;

/** The queues of this server in Spring's lifecycle: run by it, or only watched, if it runs no tasks. */
public final class Platform implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Platform.class);

    private final TandemSettings settings;
    private final RedisStore store;
    private final List<AutoCloseable> closing = new ArrayList<>();
    /** Null if this process runs no tasks. */
    private final @Nullable QueueRuntime queues;
    /** Null if this process fires no schedules. */
    private final @Nullable Schedules schedules;
    /** Null if the queues know whether the brokers can be reached. */
    private final @Nullable BrokerWatch watch;

    private final OperationRunner operations;
    private final PullExchange pulled;
    private final PostedQueues posts;

    private volatile boolean running;

    public Platform(TandemSettings settings, HostedHandlers handlers, ExecutorMetrics metrics) {
        this(settings, handlers, metrics, (operation, changed, refused) -> {});
    }

    Platform(
            TandemSettings settings,
            HostedHandlers handlers,
            ExecutorMetrics metrics,
            OperationRun.Counter operationTasks) {
        this.settings = settings;
        this.posts = handlers.posts();
        this.store = StoreSettings.open(settings);
        this.operations = new OperationRunner(store, operationTasks);
        this.queues = settings.executor().enabled()
                ? new QueueRuntime(
                        settings,
                        store,
                        new ConfiguredHandlers(handlers, QueueRuntime.rateLimited(settings)),
                        metrics,
                        FanOutService.of(settings, store, JsonMapper.shared(), metrics),
                        null,
                        settings.archive().enabled() ? PostgresArchive.rabbitQueue(settings.archive()) : null)
                : null;
        this.watch = queues == null ? watch() : null;
        this.schedules = queues == null
                ? null
                : Schedules.withOwnClient(settings, store, queues.executorId(), ScheduleMetrics.of(metrics));
        String executor = executorId();
        this.pulled = new PullExchange(
                executor == null ? Executor.newId("server") : executor,
                store.serverRecords().mailboxes(),
                this::leases,
                id -> store.presence().isLive(id));
    }

    private BrokerWatch watch() {
        KafkaBacklog kafka = new KafkaBacklog(settings.kafka());
        RabbitBacklog rabbit = new RabbitBacklog(settings.rabbit());
        closing.add(kafka);
        closing.add(rabbit);
        Map<SourceType, Callable<?>> brokers = Map.of(SourceType.KAFKA, kafka::ping, SourceType.RABBIT, rabbit::ping);
        return new BrokerWatch(
                settings.queues().values(), brokers, () -> store.ping().get());
    }

    @Override
    public void start() {
        if (queues != null) {
            queues.start();
        }
        if (schedules != null) {
            schedules.start();
        }
        operations.start();
        pulled.start(leasedQueues());
        posts.start(this::leases);
        running = true;
    }

    @Override
    public void stop() {
        operations.close();
        if (watch != null) {
            close(watch);
        }
        if (schedules != null) {
            close(schedules);
        }
        closing.forEach(Platform::close);
        if (queues != null) {
            queues.stop();
        }
        close(posts);
        // Workers end their tasks by other servers until then.
        pulled.close();
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

    /** Returns the queues whose tasks are leased. */
    List<String> leasedQueues() {
        return settings.queues().entrySet().stream()
                .filter(queue -> queue.getValue().isLeased())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns what leases tasks to pull workers. */
    public PulledTasks pulledTasks() {
        return pulled;
    }

    /** Returns the leases of a queue in this process; null if it does not run the queue, or nobody leases its tasks. */
    @Nullable
    TaskLeases leases(String queue) {
        return queues == null ? null : queues.leases(queue);
    }

    public Dependencies dependencies() {
        return new RedisDependencies(store.dependencies());
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

    /** Looks at each Redis. @throws dev.tandem.server.inspect.UnavailableException if none can be found */
    List<RedisExam> redisExams() {
        return RedisCalls.await(store.examine());
    }

    /** Returns what shows and changes the schedules of all programs. */
    public ScheduleAdministration scheduleAdministration() {
        return new RedisSchedules(store.schedules());
    }

    /** Returns what changes the limits of all programs. */
    public LimitAdministration limitAdministration() {
        return new RedisLimitAdministration(store.limits());
    }

    /** Returns what shows and cancels the fan-outs of all programs. */
    public FanOutAdministration fanOutAdministration() {
        return new RedisFanOuts(store);
    }

    /** Returns what begins, shows and stops operations on many tasks. */
    public OperationAdministration operationAdministration() {
        return new RedisOperations(store.serverRecords().operations(), operations::look);
    }

    /** Returns what waits for the ends of tasks. */
    public TaskEndings taskEndings() {
        return new RedisTaskEndings(store);
    }

    /** Returns what reads the statistics of queues. */
    StatisticsReader statistics() {
        return new StoredStatistics(store.statistics());
    }

    /** Returns what keeps the tokens of the API. */
    TokenBook tokenBook() {
        return new RedisTokens(store.serverRecords().accessTokens());
    }

    /** Returns what remembers requests with keys of their callers. */
    KeyedRequests keyedRequests() {
        IdempotencySettings idempotency = settings.api().idempotency();
        return new RedisKeyedRequests(store.serverRecords()
                .keyedRequests(
                        idempotency.keep(), idempotency.max(), (long) idempotency.max() * KeyedRequests.BYTES_EACH));
    }

    /** Returns the record of changes. */
    AuditLog auditLog() {
        ServerRecords records = store.serverRecords();
        return new RedisAuditLog(
                kind -> records.auditStream(kind.key()), settings.api().auditMax());
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
        return queues == null ? null : queues.executorId();
    }

    /** Returns why this process runs no tasks although it should; null if it does. */
    @Nullable
    String problem() {
        return queues == null ? null : queues.problem();
    }

    /** Returns the status of the queues that this process runs, in the order of the settings. */
    public List<QueueStatus> status() {
        return queues == null ? List.of() : queues.status();
    }

    /** Returns what this process has of each limit of its queues. */
    public List<LimitStatus> limits() {
        return queues == null ? List.of() : queues.limits();
    }

    /** Returns what this process does for each rate limit of its queues. */
    public List<RateStatus> rates() {
        return queues == null ? List.of() : queues.rates();
    }

    /** Returns what this process knows of a queue. @param gaps what it has seen of owners */
    LocalQueue local(String queue, OwnerGaps gaps) {
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
                found.map(QueueStatus::waits).orElse(null),
                forgotten(queue),
                gaps);
    }

    /** Returns how many records of the queue lay outside of their keys' partitions. */
    long misplaced(String queue) {
        return queues == null ? 0 : queues.misplaced(queue);
    }

    /** Says which of the broker's queues nobody consumes; null if there are none, or this process runs no tasks. */
    @Nullable
    String forgotten(String queue) {
        return queues == null ? null : queues.forgotten(queue);
    }

    /** Whether the queue's broker can be reached from this process. */
    Reachability reach(String queue) {
        QueueSettings settingsOf = settings.queues().get(queue);
        if (watch != null && settingsOf != null) {
            return watch.of(settingsOf.effectiveSource());
        }
        return queues == null ? new Reachability(false, "there is no such queue") : queues.reach(queue);
    }
}
