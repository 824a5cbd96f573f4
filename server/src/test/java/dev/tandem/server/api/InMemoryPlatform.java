package dev.tandem.server.api;

import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps tasks and keys in memory, and records all changes and published tasks. */
final class InMemoryPlatform extends InMemoryTasks implements Publisher, TaskEndings {

    final Map<String, KeyInfo> keys = new LinkedHashMap<>();
    final Map<String, DedupKeyInfo> dedupKeys = new LinkedHashMap<>();
    final Map<String, PermitView> limits = new LinkedHashMap<>();
    final Map<String, RateView> rateLimits = new LinkedHashMap<>();
    /** Limits and rate limits that are known, but not listed. */
    final Set<String> unlistedLimits = new HashSet<>();
    /** The minute that it is for the statistics. */
    long minute = ApiTestBase.NOW_MINUTE;
    /** The points of time of which something is known, by queue. */
    final Map<String, List<QueueStatistics.Point>> statistics = new LinkedHashMap<>();

    final List<GrowthInfo> growths = new ArrayList<>();
    /** The number of partitions that executors have noticed; 0 if none has. */
    int noticedPartitions = 8;

    /** The answer to a change of any key, if there is one. */
    final List<KeyChange> keyChanges = new ArrayList<>();

    final List<Task> published = new ArrayList<>();
    /** The handlers that executors announced, by queue. */
    final Map<String, QueueHandlers> handlers = new LinkedHashMap<>();

    List<ExecutorInfo> executors = OrdinaryPlatform.EXECUTORS;
    /** The partitions of queues that have others than {@link OrdinaryPlatform#PARTITIONS}. */
    final Map<String, List<PartitionInfo>> partitions = new LinkedHashMap<>();

    /** How many tasks wait in the broker by partition, of queues that have others than those of {@link OrdinaryPlatform}. */
    final Map<String, Map<String, Long>> lags = new LinkedHashMap<>();

    /** The queues of which Redis does not answer. */
    final Set<String> silent = new HashSet<>();

    boolean paused;
    PausedTasks pausedTasks = PausedTasks.NONE;
    boolean partial;

    @Nullable
    RuntimeException failure;

    /** The answer to a published task; null to answer at once. */
    volatile @Nullable CompletableFuture<PublishedId> confirmed;

    int publishedCount() {
        synchronized (published) {
            return published.size();
        }
    }

    void reset() {
        tasks.clear();
        keys.clear();
        dedupKeys.clear();
        deadGroups = DeadGroups.NONE;
        askedGroups.clear();
        limits.clear();
        rateLimits.clear();
        unlistedLimits.clear();
        statistics.clear();
        minute = ApiTestBase.NOW_MINUTE;
        growths.clear();
        noticedPartitions = 8;
        changes.clear();
        keyChanges.clear();
        published.clear();
        handlers.clear();
        held.clear();
        tooManyAsk = false;
        counted.clear();
        edited = Change.DONE;
        executors = OrdinaryPlatform.EXECUTORS;
        partitions.clear();
        silent.clear();
        lags.clear();
        forgetRuns();
        paused = false;
        pausedTasks = PausedTasks.NONE;
        partial = false;
        failure = null;
        confirmed = null;
        end = null;
    }

    /** Returns how many wait, or have waited, for the ends of tasks. */
    int awaited() {
        synchronized (changes) {
            return changes.size();
        }
    }

    @Override
    void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The answer to those who wait for the end of a task; null if their time is over at once. */
    volatile @Nullable CompletableFuture<Optional<TaskInfo>> end;

    @Override
    public CompletionStage<Optional<TaskInfo>> await(String queue, @Nullable TaskRef ref, String id, Duration timeout) {
        synchronized (changes) {
            changes.add("await " + queue + " " + (ref == null ? id : ref) + " " + timeout);
        }
        CompletableFuture<Optional<TaskInfo>> later = end;
        return later != null
                ? later
                : CompletableFuture.completedFuture(
                        ref == null ? byId(queue, id).stream().findFirst() : task(queue, ref));
    }

    @Override
    public List<PartitionInfo> partitions(String queue) {
        check();
        if (silent.contains(queue)) {
            throw new UnavailableException("Redis did not answer");
        }
        return partitions.getOrDefault(queue, OrdinaryPlatform.PARTITIONS);
    }

    @Override
    public Optional<DedupKeyInfo> dedupKey(String queue, String key) {
        check();
        return Optional.ofNullable(dedupKeys.get(key));
    }

    @Override
    public LimitNames limits() {
        check();
        return listed(limits, view -> view.override() != null);
    }

    private <T> LimitNames listed(Map<String, T> all, Predicate<T> isOverridden) {
        Map<Boolean, Set<String>> names = all.entrySet().stream()
                .filter(each -> !unlistedLimits.contains(each.getKey()))
                .collect(Collectors.partitioningBy(
                        each -> isOverridden.test(each.getValue()),
                        Collectors.mapping(Map.Entry::getKey, Collectors.toSet())));
        return new LimitNames(names.get(true), names.get(false));
    }

    @Override
    public List<PermitView> limits(List<String> names) {
        check();
        return names.stream()
                .map(name -> limits.getOrDefault(name, new PermitView(name, 0, null, List.of())))
                .toList();
    }

    @Override
    public LimitNames rateLimits() {
        return listed(rateLimits, view -> view.override() != null);
    }

    @Override
    public List<RateView> rateLimits(List<String> names, int buckets) {
        return names.stream().map(rateLimits::get).filter(Objects::nonNull).toList();
    }

    @Override
    public boolean freeDedupKey(String queue, String key) {
        check();
        return dedupKeys.remove(key) != null;
    }

    @Override
    public List<GrowthInfo> growths(String queue) {
        check();
        return growths;
    }

    @Override
    public OptionalInt noticedPartitions(String queue) {
        check();
        return noticedPartitions == 0 ? OptionalInt.empty() : OptionalInt.of(noticedPartitions);
    }

    @Override
    public boolean isPaused(String queue) {
        return paused;
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
        check();
        int from = cursor == null ? 0 : Integer.parseInt(cursor);
        List<TaskInfo> all = tasks.values().stream()
                .filter(task -> state == null || task.state() == state)
                .filter(task -> chosen == null || chosen.test(task))
                .toList();
        int to = Math.min(all.size(), from + limit);
        return new Page<>(all.subList(from, to), to == all.size() ? null : Integer.toString(to), partial);
    }

    @Override
    public Optional<TaskInfo> task(String queue, TaskRef ref) {
        check();
        return Optional.ofNullable(tasks.get(ref));
    }

    @Override
    public Map<Long, TaskInfo> atOffsets(String queue, String partition, List<Long> offsets) {
        Map<Long, TaskInfo> known = new LinkedHashMap<>();
        offsets.forEach(offset ->
                task(queue, new TaskRef(partition, "1:" + offset)).ifPresent(task -> known.put(offset, task)));
        return known;
    }

    @Override
    public List<TaskInfo> byId(String queue, String id) {
        check();
        return tasks.values().stream()
                .filter(task -> task.envelope() != null
                        && id.equals(task.envelope().task().id()))
                .toList();
    }

    @Override
    public Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit) {
        check();
        return new Page<>(List.copyOf(keys.values()), null);
    }

    @Override
    public List<KeyInfo> key(String queue, String key) {
        check();
        return keys.containsKey(key) ? List.of(keys.get(key)) : List.of();
    }

    @Override
    public List<ExecutorInfo> executors() {
        check();
        return executors;
    }

    @Override
    public Map<String, QueueHandlers> handlers() {
        check();
        return handlers;
    }

    @Override
    public Change retry(String queue, TaskRef ref, boolean deadOnly) {
        TaskInfo task = tasks.get(ref);
        if (deadOnly && task != null && task.state() != TaskState.DEAD) {
            return Change.OTHER_STATE;
        }
        changes.add("retry " + queue + " " + ref);
        return Change.DONE;
    }

    @Override
    public Change delete(String queue, TaskRef ref, Deletion which) {
        TaskInfo task = tasks.get(ref);
        boolean dead = task != null && task.state() == TaskState.DEAD;
        if (task != null && task.state() == TaskState.ACTIVE) {
            return Change.RUNNING;
        } else if (which != Deletion.ANY && dead == (which == Deletion.WAITING)) {
            return Change.OTHER_STATE;
        } else if (which == Deletion.DEAD_NOT_HALTING && task.halts()) {
            return Change.HALTS_KEY;
        }
        changes.add("delete " + queue + " " + ref);
        return Change.DONE;
    }

    @Override
    public List<KeyChange> key(String queue, String key, KeyAction action, boolean force, @Nullable TaskRef head) {
        check();
        KeyInfo before = keys.get(key);
        if (!keyChanges.isEmpty()) {
            return List.copyOf(keyChanges);
        } else if (before == null) {
            return List.of();
        } else if (head != null && !head.equals(before.head())) {
            return List.of(new KeyChange(Change.OTHER_HEAD, before));
        } else if (action == KeyAction.RETRY && before.headTask() == null) {
            return List.of(new KeyChange(Change.IN_BROKER, before));
        } else if (action != KeyAction.RETRY && !before.isHalted() && !force) {
            return List.of(new KeyChange(Change.NOT_HALTED, before));
        }
        changes.add(action + " " + queue + " " + key);
        return List.of(new KeyChange(Change.DONE, before));
    }

    @Override
    public List<TaskInfo> parkedBehind(String queue, String partition, String key, int limit) {
        return tasks.values().stream()
                .filter(task -> task.state() == TaskState.PARKED && key.equals(task.key()))
                .limit(limit)
                .toList();
    }

    @Override
    public void pause(String queue, boolean pause) {
        check();
        changes.add((pause ? "pause " : "resume ") + queue);
    }

    @Override
    public boolean pauseTasks(String queue, PausedTasks which) {
        check();
        changes.add("pause " + queue + " " + which.types() + which.keys());
        boolean room = pausedTasks.types().size() + pausedTasks.keys().size() < PausedTasks.MAX;
        pausedTasks = room ? which : pausedTasks;
        return room;
    }

    @Override
    public void resumeTasks(String queue, PausedTasks which, @Nullable String defaultType) {
        check();
        changes.add("resume " + queue + " " + which.types() + which.keys() + " " + defaultType);
        pausedTasks = PausedTasks.NONE;
    }

    @Override
    public PausedTasks pausedTasks(String queue) {
        check();
        return pausedTasks;
    }

    @Override
    public Publication prepare(Task task) {
        throw new UnsupportedOperationException("The API publishes");
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        if (failure instanceof UnavailableException) {
            return CompletableFuture.failedFuture(new PublishException(failure.getMessage()));
        } else if (failure instanceof InvalidTaskException) {
            return CompletableFuture.failedFuture(failure);
        }
        synchronized (published) {
            published.add(task);
        }
        CompletableFuture<PublishedId> later = confirmed;
        if (later != null) {
            return later;
        }
        return CompletableFuture.completedFuture(
                new PublishedId(task.id() == null ? "orders:0:17" : task.id(), "orders:0:17"));
    }

    @Override
    public void close() {}
}
