package dev.tandem.server.api;

import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps tasks and keys in memory, and records all changes and published tasks. */
final class InMemoryPlatform implements Inspection, Administration, Publisher, TaskEndings {

    final Map<TaskRef, TaskInfo> tasks = new LinkedHashMap<>();
    final Map<String, KeyInfo> keys = new LinkedHashMap<>();
    final Map<String, DedupKeyInfo> dedupKeys = new LinkedHashMap<>();
    final Map<String, PermitView> limits = new LinkedHashMap<>();
    final Map<String, RateView> rateLimits = new LinkedHashMap<>();
    final List<GrowthInfo> growths = new ArrayList<>();
    /** The number of partitions that executors have noticed; 0 if none has. */
    int noticedPartitions = 8;

    final List<String> changes = new ArrayList<>();
    /** The answer to a change of any key, if there is one. */
    final List<KeyChange> keyChanges = new ArrayList<>();

    final List<Task> published = new ArrayList<>();
    /** The handlers that executors announced, by queue. */
    final Map<String, QueueHandlers> handlers = new LinkedHashMap<>();

    /** The answers of executors, by the id or place that they are asked for. */
    final Map<String, TaskInfo> held = new LinkedHashMap<>();

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
        limits.clear();
        rateLimits.clear();
        growths.clear();
        noticedPartitions = 8;
        changes.clear();
        keyChanges.clear();
        published.clear();
        handlers.clear();
        held.clear();
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

    private void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The result for a task that is to be cancelled, or to have another time. */
    CancelResult cancelResult = CancelResult.CANCELLED;

    Change rescheduled = Change.DONE;

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
        return List.of(
                new PartitionInfo(
                        "0",
                        "host-1",
                        1,
                        new TaskCounts(1, 2, 3, 4, 5, 6),
                        Map.of("succeeded", 6L, "retried", 7L),
                        300,
                        null),
                new PartitionInfo("1", null, 0, new TaskCounts(1, 0, 0, 0, 0, 0), Map.of("retried", 1L), 40, null));
    }

    @Override
    public Optional<DedupKeyInfo> dedupKey(String queue, String key) {
        check();
        return Optional.ofNullable(dedupKeys.get(key));
    }

    @Override
    public List<String> limits() {
        check();
        return List.copyOf(limits.keySet());
    }

    @Override
    public List<PermitView> limits(List<String> names) {
        return names.stream().map(limits::get).toList();
    }

    @Override
    public List<String> rateLimits() {
        return List.copyOf(rateLimits.keySet());
    }

    @Override
    public List<RateView> rateLimits(List<String> names, int buckets) {
        return names.stream().map(rateLimits::get).toList();
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
            @Nullable Predicate<TaskInfo> chosen) {
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
        return Optional.ofNullable(tasks.get(ref));
    }

    @Override
    public List<TaskInfo> byId(String queue, String id) {
        return tasks.values().stream()
                .filter(task -> task.envelope() != null
                        && id.equals(task.envelope().task().id()))
                .toList();
    }

    @Override
    public Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit) {
        return new Page<>(List.copyOf(keys.values()), null);
    }

    @Override
    public List<TaskInfo> inExecutors(String queue, String id) {
        return Optional.ofNullable(held.get(id)).stream().toList();
    }

    @Override
    public List<KeyInfo> key(String queue, String key) {
        return keys.containsKey(key) ? List.of(keys.get(key)) : List.of();
    }

    @Override
    public List<ExecutorInfo> executors() {
        return List.of(new ExecutorInfo(
                "host-1",
                "host",
                null,
                Instant.parse("2026-11-20T10:00:00Z"),
                List.of(new ExecutorInfo.Share("orders", 2, 3))));
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
    public Cancellation cancel(String queue, @Nullable TaskRef ref, String id) {
        changes.add("cancel " + queue + " " + (ref == null ? id : ref));
        TaskInfo task = ref == null ? null : tasks.get(ref);
        return new Cancellation(cancelResult, task);
    }

    @Override
    public Change reschedule(String queue, TaskRef ref, Instant at) {
        changes.add("reschedule " + queue + " " + ref);
        return rescheduled;
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
