package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.executor.TaskLimit;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.PartitionView;
import dev.tandem.scheduler.Presence;
import dev.tandem.scheduler.RedisLimits;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueFacts;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads the partitions, pauses, limits and handlers of queues. Asks for all queues at once, so that a silent Redis costs one timeout. */
final class RedisOverview {

    private final Map<String, QueuePolicy> queues;
    private final Inspector inspector;
    private final Presence presence;
    private final RedisLimits limits;

    RedisOverview(Map<String, QueuePolicy> queues, RedisStore store) {
        this.queues = queues;
        this.inspector = store.inspector();
        this.presence = store.presence();
        this.limits = store.limits();
    }

    Overview of(Collection<String> names) {
        CompletableFuture<Set<String>> live = presence.liveIds();
        CompletableFuture<Map<String, QueueHandlers>> handlers = live.thenCompose(this::handlersOf);
        CompletableFuture<Map<String, Map<String, Map<String, Long>>>> waits =
                live.thenCompose(presence::waits).exceptionally(failure -> Map.of());
        Map<String, CompletableFuture<QueueFacts>> asked = new LinkedHashMap<>();
        names.forEach(name -> asked.put(name, facts(name, waits)));
        Map<String, QueueFacts> facts = new LinkedHashMap<>();
        asked.forEach((name, answer) -> {
            try {
                facts.put(name, await(answer));
            } catch (UnavailableException e) {
                facts.put(name, QueueFacts.unknown(String.valueOf(e.getMessage())));
            }
        });
        try {
            return new Overview(facts, await(handlers));
        } catch (UnavailableException e) {
            return new Overview(facts, Map.of()); // The queues say so.
        }
    }

    private CompletableFuture<QueueFacts> facts(
            String queue, CompletableFuture<Map<String, Map<String, Map<String, Long>>>> waits) {
        CompletableFuture<List<PartitionInfo>> partitions = partitions(queue, waits);
        CompletableFuture<@Nullable PermitView> limit = limit(queue);
        CompletableFuture<Optional<Long>> pausedSince = inspector.pausedSince(queue);
        CompletableFuture<PausedTasks> pausedTasks = inspector.pausedTasks(queue);
        return CompletableFuture.allOf(partitions, limit, pausedSince, pausedTasks)
                .thenApply(done -> new QueueFacts(
                        partitions.join(), pausedSince.join().isPresent(), pausedTasks.join(), limit.join(), null));
    }

    /** Reads the limit of all tasks of a queue. Null if Redis does not say it, as while it lacks replicas: then the rest is read. */
    private CompletableFuture<@Nullable PermitView> limit(String queue) {
        return limits.show(TaskLimit.nameOfQueue(queue)).handle((view, failure) -> view);
    }

    /** Returns the partitions of a queue. What their owners say of waits is not asked. */
    CompletableFuture<List<PartitionInfo>> partitions(String queue) {
        return partitions(queue, CompletableFuture.completedFuture(Map.of()));
    }

    /** @param waits what executors say of the waits of their oldest tasks, by executor, queue and partition */
    private CompletableFuture<List<PartitionInfo>> partitions(
            String queue, CompletableFuture<Map<String, Map<String, Map<String, Long>>>> waits) {
        return inspector.counts(queue).thenCombine(waits, Map::entry).thenCompose(known -> {
            List<CompletableFuture<PartitionInfo>> infos = known.getKey().stream()
                    .map(view -> info(view, oldestWait(view, known.getValue())))
                    .toList();
            return CompletableFuture.allOf(infos.toArray(CompletableFuture[]::new))
                    .thenApply(
                            done -> infos.stream().map(CompletableFuture::join).toList());
        });
    }

    /** Returns for how long the oldest task has waited; null if there is an owner that does not say it. */
    private static @Nullable Long oldestWait(PartitionView view, Map<String, Map<String, Map<String, Long>>> waits) {
        long due = Math.max(0, view.overdueMillis());
        if (view.owner() == null || view.leaseMillis() <= 0) {
            return due;
        }
        Map<String, Long> ofOwner =
                waits.getOrDefault(view.owner(), Map.of()).get(view.partition().queue());
        Long told = ofOwner == null ? null : ofOwner.get(view.partition().name());
        boolean unknown = ofOwner == null || told == null && ofOwner.size() >= Presence.MOST_WAITS;
        return unknown && due == 0 ? null : Long.valueOf(Math.max(due, told == null ? 0 : told));
    }

    private CompletableFuture<PartitionInfo> info(PartitionView view, @Nullable Long oldestWait) {
        // Only a partition with that many parked tasks can be full.
        QueuePolicy bounds = queues.getOrDefault(view.partition().queue(), QueuePolicy.ordered(1));
        return count(view, TaskState.PARKED) < bounds.maxParkedPerKey()
                ? CompletableFuture.completedFuture(info(view, bounds, oldestWait, null))
                : inspector
                        .keys()
                        .fullest(view.partition())
                        .thenApply(fullest -> info(view, bounds, oldestWait, fullest.orElse(null)));
    }

    private static PartitionInfo info(
            PartitionView view, QueuePolicy bounds, @Nullable Long oldestWait, @Nullable KeyView fullest) {
        boolean full = fullest != null
                && (count(view, TaskState.PARKED) >= bounds.maxParkedPerPartition()
                        || fullest.parked() >= bounds.maxParkedPerKey());
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
                view.inLines(),
                oldestWait,
                full ? RedisInspection.info(fullest) : null);
    }

    private static long count(PartitionView view, TaskState state) {
        return view.tasks().getOrDefault(state, 0L);
    }

    /** Leaves out executors that are silent: they have probably died. */
    CompletableFuture<Map<String, QueueHandlers>> handlers() {
        return presence.liveIds().thenCompose(this::handlersOf);
    }

    private CompletableFuture<Map<String, QueueHandlers>> handlersOf(Set<String> live) {
        return presence.handlers(live).thenCombine(presence.unhandled(live), RedisOverview::handlers);
    }

    private static Map<String, QueueHandlers> handlers(
            Map<String, Map<String, HandledTypes>> handled, Map<String, Map<String, HandledTypes>> unhandled) {
        Map<String, QueueHandlers> all = new TreeMap<>();
        each(handled, all, (of, id, types) -> of.handled().put(id, types));
        each(unhandled, all, (of, id, types) -> of.unhandled().put(id, new TreeSet<>(types.types())));
        return all;
    }

    private interface Adder {
        void add(QueueHandlers ofQueue, String id, HandledTypes types);
    }

    private static void each(
            Map<String, Map<String, HandledTypes>> announced, Map<String, QueueHandlers> all, Adder adder) {
        announced.forEach((id, queuesOfIt) -> queuesOfIt.forEach((queue, types) -> adder.add(
                all.computeIfAbsent(queue, none -> new QueueHandlers(new TreeMap<>(), new TreeMap<>())), id, types)));
    }
}
