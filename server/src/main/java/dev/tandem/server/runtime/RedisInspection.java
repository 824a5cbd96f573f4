package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.PartitionView;
import dev.tandem.scheduler.Presence;
import dev.tandem.scheduler.ReadBudget;
import dev.tandem.scheduler.RedisLimits;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.ResultPage;
import dev.tandem.scheduler.TaskView;
import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import dev.tandem.task.store.StoreAnswer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads from Redis what the API shows. */
final class RedisInspection implements Inspection {

    private static final int MAX_TASKS_BY_ID = 20;

    private final Map<String, QueuePolicy> queues;
    private final Inspector inspector;
    private final Presence presence;
    private final RedisLimits limits;
    private final RedisGrowths growths;
    private final ExecutorSearch executors;

    RedisInspection(Map<String, QueuePolicy> queues, RedisStore store) {
        this.queues = queues;
        this.inspector = store.inspector();
        this.presence = store.presence();
        this.limits = store.limits();
        this.growths = new RedisGrowths(store);
        this.executors = new ExecutorSearch(store);
    }

    @Override
    public List<PartitionInfo> partitions(String queue) {
        return await(inspector.counts(queue)).stream().map(this::info).toList();
    }

    /** Finds the key that fills a partition. Asks only if enough tasks are parked. */
    private @Nullable KeyInfo findFullKey(PartitionView view) {
        long parked = count(view, TaskState.PARKED);
        QueuePolicy bounds = queues.getOrDefault(view.partition().queue(), QueuePolicy.ordered(1));
        if (parked < bounds.maxParkedPerKey()) {
            return null;
        }
        KeyView fullest = await(inspector.fullestKey(view.partition())).orElse(null);
        boolean full = parked >= bounds.maxParkedPerPartition()
                || fullest != null && fullest.parked() >= bounds.maxParkedPerKey();
        return full && fullest != null ? info(fullest) : null;
    }

    private PartitionInfo info(PartitionView view) {
        return new PartitionInfo(
                view.partition().name(),
                view.leaseMillis() > 0 ? view.owner() : null,
                view.blockedKeys(),
                new TaskCounts(
                        count(view, TaskState.ACTIVE),
                        count(view, TaskState.SCHEDULED),
                        count(view, TaskState.RETRY),
                        count(view, TaskState.PARKED),
                        count(view, TaskState.DEAD),
                        view.totals().getOrDefault("succeeded", 0L)),
                view.totals(),
                view.eventBytes(),
                findFullKey(view));
    }

    private static long count(PartitionView view, TaskState state) {
        return view.tasks().getOrDefault(state, 0L);
    }

    @Override
    public List<GrowthInfo> growths(String queue) {
        return growths.of(queue);
    }

    @Override
    public OptionalInt noticedPartitions(String queue) {
        return growths.noticedPartitions(queue);
    }

    @Override
    public boolean isPaused(String queue) {
        return await(inspector.pausedSince(queue)).isPresent();
    }

    @Override
    public PausedTasks pausedTasks(String queue) {
        return await(inspector.pausedTasks(queue));
    }

    @Override
    public Page<TaskInfo> tasks(
            String queue,
            @Nullable TaskState state,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen) {
        ReadBudget budget = ReadBudget.forList();
        Predicate<TaskView> views = chosen == null ? null : view -> chosen.test(info(view));
        ResultPage<TaskView> page = await(
                state == null
                        ? inspector.allTasks(queue, partition, cursor, limit, views, budget)
                        : inspector.tasks(queue, partition, state, cursor, limit, views, budget),
                budget);
        List<TaskInfo> found = page.items().stream().map(RedisInspection::info).toList();
        return new Page<>(found, page.next(), page.next() != null && found.size() < limit && budget.isSpent());
    }

    @Override
    public Optional<TaskInfo> task(String queue, TaskRef ref) {
        Partition partition = new Partition(queue, ref.partition());
        return await(inspector.task(partition, new Position(ref.position()))).map(RedisInspection::info);
    }

    @Override
    public List<TaskInfo> byId(String queue, String id) {
        ReadBudget budget = ReadBudget.forSearch();
        return await(inspector.tasks(queue, id, MAX_TASKS_BY_ID, budget), budget).stream()
                .map(RedisInspection::info)
                .toList();
    }

    @Override
    public List<TaskInfo> inExecutors(String queue, String id) {
        return executors.find(queue, id);
    }

    @Override
    public HeldAnswer explain(String queue, HeldQuestion question) {
        return executors.explain(queue, question);
    }

    @Override
    public Set<String> liveExecutors() {
        return await(presence.liveIds());
    }

    @Override
    public Optional<DedupKeyInfo> dedupKey(String queue, String key) {
        return await(inspector.dedupKey(queue, key))
                .map(view -> new DedupKeyInfo(
                        view.state().name().toLowerCase(Locale.ROOT),
                        new TaskRef(view.partition().name(), view.position().text()),
                        view.id(),
                        Instant.ofEpochMilli(view.since()),
                        Instant.ofEpochMilli(view.dueAt()),
                        view.isTaken(),
                        Instant.ofEpochMilli(view.takenUntil()),
                        view.others()));
    }

    @Override
    public List<String> limits() {
        return await(limits.names());
    }

    @Override
    public List<PermitView> limits(List<String> names) {
        List<CompletableFuture<PermitView>> asked =
                names.stream().map(limits::show).toList();
        return asked.stream().map(each -> await(each)).toList();
    }

    @Override
    public List<String> rateLimits() {
        return await(limits.rateNames());
    }

    @Override
    public List<RateView> rateLimits(List<String> names, int buckets) {
        List<CompletableFuture<Optional<RateView>>> asked =
                names.stream().map(name -> limits.showRate(name, buckets)).toList();
        return asked.stream().flatMap(each -> await(each).stream()).toList();
    }

    static TaskInfo info(TaskView view) {
        TaskView.Claim claim = view.claim();
        TaskView.Success success = view.success();
        long at = claim == null ? view.at() : claim.startedAt();
        int started = (view.envelope() == null ? 0 : view.envelope().attempts()) + view.lapses();
        return new TaskInfo(
                new TaskRef(view.partition().name(), view.position().text()),
                view.state(),
                at < 0 ? null : Instant.ofEpochMilli(at),
                key(view),
                // The running attempt has started, but the store counts it when it ends.
                claim == null ? started : started + 1,
                claim == null ? success == null ? null : success.executor() : claim.executor(),
                view.head() == null
                        ? null
                        : new TaskRef(view.partition().name(), view.head().text()),
                view.envelope(),
                success == null ? null : success.durationMillis(),
                history(view),
                view.notes(),
                success == null ? null : success.result(),
                success == null ? null : success.duplicateOf(),
                null);
    }

    private static List<AttemptRecord> history(TaskView view) {
        if (view.envelope() == null) {
            return List.of();
        }
        List<AttemptRecord> attempts = AttemptHistory.of(view.envelope().task());
        TaskView.Success success = view.success();
        if (success != null && view.state() == TaskState.SUCCEEDED && success.duplicateOf() == null) {
            attempts.add(new AttemptRecord(
                    view.envelope().attempts(), success.startedAt(), success.durationMillis(), success.executor(), ""));
        }
        return attempts.subList(Math.max(0, attempts.size() - AttemptHistory.MAX_ATTEMPTS), attempts.size());
    }

    private static @Nullable String key(TaskView view) {
        if (view.envelope() != null) {
            return view.envelope().task().key();
        }
        return view.claim() == null ? null : view.claim().key();
    }

    @Override
    public Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit) {
        ReadBudget budget = ReadBudget.forList();
        var page = await(inspector.blockedKeys(queue, cursor, limit, budget), budget);
        List<KeyInfo> keys = page.items().stream().map(RedisInspection::info).toList();
        return new Page<>(keys, page.next(), page.next() != null && keys.size() < limit && budget.isSpent());
    }

    @Override
    public List<KeyInfo> key(String queue, String key) {
        return await(inspector.key(queue, key)).stream()
                .map(RedisInspection::info)
                .toList();
    }

    @Override
    public List<TaskInfo> parkedBehind(String queue, String partition, String key, int limit) {
        return await(inspector.parkedBehind(new Partition(queue, partition), key, limit)).stream()
                .map(RedisInspection::info)
                .toList();
    }

    /** Returns the reason in the API's words, which other programs rely on. */
    static String whyBlocked(StoreAnswer.BlockReason reason) {
        return switch (reason) {
            case HEAD -> "head";
            case OTHER_OWNER -> "foreign";
            case REDELIVERY -> "redelivery";
            case HALTED -> "halted";
        };
    }

    static KeyInfo info(KeyView view) {
        String partition = view.partition().name();
        return new KeyInfo(
                view.key(),
                partition,
                whyBlocked(view.reason()),
                view.since() <= 0 ? null : Instant.ofEpochMilli(view.since()),
                new TaskRef(partition, view.head().text()),
                view.parked(),
                view.headTask() == null ? null : info(view.headTask()));
    }

    /** Returns the executors that send heartbeats or own a partition. */
    @Override
    public List<ExecutorInfo> executors() {
        Map<String, Presence.Executor> present = new TreeMap<>();
        await(presence.executors()).forEach(executor -> present.put(executor.id(), executor));
        Map<String, Map<String, Integer>> owned = new TreeMap<>();
        for (String queue : queues.keySet()) {
            for (PartitionInfo partition : partitions(queue)) {
                if (partition.owner() != null) {
                    owned.computeIfAbsent(partition.owner(), id -> new LinkedHashMap<>())
                            .merge(queue, 1, Integer::sum);
                }
            }
        }
        present.keySet().forEach(id -> owned.computeIfAbsent(id, none -> new LinkedHashMap<>()));
        Map<String, QueueHandlers> handlers = handlers();
        List<ExecutorInfo> executors = new ArrayList<>();
        owned.forEach((id, partitions) -> executors.add(info(id, present.get(id), partitions, handlers)));
        return executors;
    }

    /** Leaves out executors that are silent: they have probably died. */
    @Override
    public Map<String, QueueHandlers> handlers() {
        Set<String> live = await(presence.liveIds());
        Map<String, QueueHandlers> handlers = new TreeMap<>();
        await(presence.handlers(live))
                .forEach((id, queuesOfIt) -> queuesOfIt.forEach((queue, types) -> handlers.computeIfAbsent(
                                queue, none -> new QueueHandlers(new TreeMap<>(), new TreeMap<>()))
                        .handled()
                        .put(id, types)));
        await(presence.unhandled(live))
                .forEach((id, queuesOfIt) -> queuesOfIt.forEach((queue, types) -> handlers.computeIfAbsent(
                                queue, none -> new QueueHandlers(new TreeMap<>(), new TreeMap<>()))
                        .unhandled()
                        .put(id, new TreeSet<>(types.types()))));
        return handlers;
    }

    private ExecutorInfo info(
            String id,
            Presence.@Nullable Executor executor,
            Map<String, Integer> partitions,
            Map<String, QueueHandlers> handlers) {
        Map<String, Integer> running = executor == null ? Map.of() : executor.running();
        List<ExecutorInfo.Share> shares = new ArrayList<>();
        Map<String, @Nullable Integer> all = new TreeMap<>(partitions);
        Set<String> others = new TreeSet<>(running.keySet());
        handlers.forEach((queue, of) -> {
            if (of.handled().containsKey(id)) {
                others.add(queue);
            }
        });
        others.forEach(queue -> all.putIfAbsent(queue, queues.containsKey(queue) ? 0 : null));
        all.forEach((queue, count) -> {
            QueueHandlers ofQueue = handlers.getOrDefault(queue, QueueHandlers.NONE);
            HandledTypes own = ofQueue.handled().get(id);
            List<String> lacks = ofQueue.lackedBy(id).stream()
                    .map(type -> type.equals(HandledTypes.NO_TYPE) ? "(no type)" : type)
                    .toList();
            shares.add(new ExecutorInfo.Share(
                    queue,
                    count,
                    running.get(queue),
                    own == null ? null : List.copyOf(own.listed()),
                    lacks.isEmpty() ? null : lacks));
        });
        return new ExecutorInfo(
                id,
                executor == null ? null : executor.host(),
                executor == null ? null : Instant.ofEpochMilli(executor.startedAt()),
                executor == null ? null : Instant.ofEpochMilli(executor.lastSeen()),
                shares);
    }
}
