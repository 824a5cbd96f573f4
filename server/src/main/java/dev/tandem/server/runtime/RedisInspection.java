package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.Presence;
import dev.tandem.scheduler.ReadBudget;
import dev.tandem.scheduler.RecentDeadTasks;
import dev.tandem.scheduler.RedisLimits;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.ResultPage;
import dev.tandem.scheduler.TaskView;
import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import dev.tandem.task.store.RunningTask;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
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
    private final RedisOverview overview;

    RedisInspection(Map<String, QueuePolicy> queues, RedisStore store) {
        this.queues = queues;
        this.inspector = store.inspector();
        this.presence = store.presence();
        this.limits = store.limits();
        this.growths = new RedisGrowths(store);
        this.executors = new ExecutorSearch(store);
        this.overview = new RedisOverview(queues, store);
    }

    @Override
    public List<PartitionInfo> partitions(String queue) {
        return await(overview.partitions(queue));
    }

    @Override
    public Overview overview(Collection<String> names) {
        return overview.of(names);
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
            @Nullable Predicate<TaskInfo> chosen,
            int lookAt) {
        ReadBudget budget = ReadBudget.forList(lookAt);
        Predicate<TaskView> views = views(chosen);
        return page(
                state == null
                        ? inspector.allTasks(queue, partition, cursor, limit, views, budget)
                        : inspector.tasks(queue, partition, state, cursor, limit, views, budget),
                limit,
                budget);
    }

    @Override
    public Page<TaskInfo> deadSince(
            String queue,
            Instant diedAfter,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen,
            int lookAt) {
        ReadBudget budget = ReadBudget.forList(lookAt);
        CompletableFuture<ResultPage<TaskView>> recent = new RecentDeadTasks(inspector)
                .page(queue, partition, diedAfter.toEpochMilli(), cursor, limit, views(chosen), budget);
        return page(recent, limit, budget);
    }

    private static @Nullable Predicate<TaskView> views(@Nullable Predicate<TaskInfo> chosen) {
        return chosen == null ? null : view -> chosen.test(info(view));
    }

    private static Page<TaskInfo> page(CompletableFuture<ResultPage<TaskView>> asked, int limit, ReadBudget budget) {
        ResultPage<TaskView> page = await(asked, budget);
        List<TaskInfo> found = page.items().stream().map(RedisInspection::info).toList();
        return new Page<>(found, page.next(), page.next() != null && found.size() < limit && budget.isSpent());
    }

    @Override
    public List<ClaimedTask> claimed(String queue, List<String> partitions, int limit) {
        List<Partition> named =
                partitions.stream().map(name -> new Partition(queue, name)).toList();
        return await(inspector.running(named, limit)).stream()
                .filter(view -> view.claim() != null)
                .map(view -> new ClaimedTask(
                        info(view), Instant.ofEpochMilli(view.claim().leaseUntil())))
                .toList();
    }

    @Override
    public Map<String, Map<String, List<RunningTask>>> running(Map<String, Set<String>> executorsOf) {
        return executors.running(executorsOf);
    }

    @Override
    public Optional<TaskInfo> task(String queue, TaskRef ref) {
        Partition partition = new Partition(queue, ref.partition());
        return await(inspector.task(partition, new Position(ref.position()))).map(RedisInspection::info);
    }

    @Override
    public Map<Long, TaskInfo> atOffsets(String queue, String partition, List<Long> offsets) {
        Map<Long, TaskInfo> known = new LinkedHashMap<>();
        await(inspector.atOffsets(new Partition(queue, partition), offsets))
                .forEach((offset, view) -> known.put(offset, info(view)));
        return known;
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
        // Nobody would answer, and the search would wait for that.
        return liveExecutors().isEmpty() ? List.of() : executors.find(queue, id);
    }

    @Override
    public HeldAnswer held(String queue, HeldQuestion question, Set<String> owners) {
        return executors.held(queue, question, liveExecutors(), owners);
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
    public LimitNames limits() {
        return await(limits.names());
    }

    @Override
    public List<PermitView> limits(List<String> names) {
        List<CompletableFuture<PermitView>> asked =
                names.stream().map(limits::show).toList();
        return asked.stream().map(each -> await(each)).toList();
    }

    @Override
    public LimitNames rateLimits() {
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
        long at = view.isInLine() ? -1 : claim == null ? view.at() : claim.startedAt();
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
    public Map<Partition, DeadGroups> deadGroups(List<Partition> partitions, int most) {
        Map<Partition, CompletableFuture<DeadGroups>> asked = new LinkedHashMap<>();
        partitions.forEach(partition -> asked.put(partition, inspector.deadGroups(partition, most)));
        Map<Partition, DeadGroups> groups = new LinkedHashMap<>();
        asked.forEach((partition, answer) -> groups.put(partition, await(answer)));
        return groups;
    }

    @Override
    public Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit) {
        ReadBudget budget = ReadBudget.forList();
        var page = await(inspector.keys().blocked(queue, cursor, limit, budget), budget);
        List<KeyInfo> keys = page.items().stream().map(RedisInspection::info).toList();
        return new Page<>(keys, page.next(), page.next() != null && keys.size() < limit && budget.isSpent());
    }

    @Override
    public List<KeyInfo> key(String queue, String key) {
        return await(inspector.keys().find(queue, key)).stream()
                .map(RedisInspection::info)
                .toList();
    }

    @Override
    public List<TaskInfo> parkedBehind(String queue, String partition, String key, int limit) {
        return await(inspector.keys().parkedBehind(new Partition(queue, partition), key, limit)).stream()
                .map(RedisInspection::info)
                .toList();
    }

    static KeyInfo info(KeyView view) {
        String partition = view.partition().name();
        return new KeyInfo(
                view.key(),
                partition,
                view.reason(),
                view.since() <= 0 ? null : Instant.ofEpochMilli(view.since()),
                new TaskRef(partition, view.head().text()),
                view.parked(),
                view.headTask() == null ? null : info(view.headTask()));
    }

    @Override
    public List<ExecutorInfo> executors() {
        return executors(overview(queues.keySet()));
    }

    @Override
    public List<ExecutorInfo> executors(Overview all) {
        Map<String, Presence.Executor> present = new TreeMap<>();
        await(presence.executors()).forEach(executor -> present.put(executor.id(), executor));
        Map<String, Map<String, Integer>> owned = new TreeMap<>();
        all.queues()
                .forEach((queue, facts) -> facts.known().partitions().stream()
                        .filter(partition -> partition.owner() != null)
                        .forEach(partition -> owned.computeIfAbsent(partition.owner(), id -> new LinkedHashMap<>())
                                .merge(queue, 1, Integer::sum)));
        present.keySet().forEach(id -> owned.computeIfAbsent(id, none -> new LinkedHashMap<>()));
        Map<String, QueueHandlers> handlers = all.handlers();
        List<ExecutorInfo> executors = new ArrayList<>();
        owned.forEach((id, partitions) -> executors.add(info(id, present.get(id), partitions, handlers)));
        return executors;
    }

    @Override
    public Map<String, QueueHandlers> handlers() {
        return await(overview.handlers());
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
