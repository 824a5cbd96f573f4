package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.LimitNames;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ZAddArgs;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The list of the limits of one kind, by when they were last used; infinite for those with an override, which therefore come first.
 * The list and the overrides may be on different nodes, so that no step changes both. So whoever reads the list reads the
 * overrides too, corrects the list, and removes only limits without one. Thread-safe.
 */
final class LimitList {

    /** A limit that nobody has used for so long is not listed any more. */
    private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

    private static final int MOST_LISTED = 1_000;

    /** Keeps a later time, which a limit with an override has. */
    private static final ZAddArgs LATEST = ZAddArgs.Builder.gt();

    private final AdminConnection connection;
    private final byte[] key;
    private final RedisLimitKind kind;
    private final OccasionalWrites found = new OccasionalWrites();

    LimitList(AdminConnection connection, RedisLimitKind kind) {
        this.connection = connection;
        this.kind = kind;
        this.key = kind.names(connection.keys());
    }

    /** Lists a limit that is used now. */
    CompletableFuture<Long> addUsed(String limit) {
        return connection
                .now()
                .thenCompose(now -> connection.run(commands -> commands.zadd(key, LATEST, (double) now, bytes(limit))));
    }

    /** Lists a limit that has an override from now on, or none any more. */
    CompletableFuture<Long> addChanged(String limit, boolean isOverridden) {
        return isOverridden
                ? put(limit, Double.POSITIVE_INFINITY)
                : connection.now().thenCompose(now -> put(limit, now));
    }

    /** Lists a limit whose override was read, now and then. */
    void addFound(String limit) {
        found.write(limit, () -> put(limit, Double.POSITIVE_INFINITY));
    }

    private CompletableFuture<Long> put(String limit, double since) {
        return connection.run(commands -> commands.zadd(key, since, bytes(limit)));
    }

    /** Returns the names of those with an override and of those that were used last, at most 1,000. */
    CompletableFuture<LimitNames> names() {
        return connection
                .now()
                .thenCompose(now -> forget(now - FORGOTTEN_MILLIS)
                        // Redis may refuse to write, since its memory is full.
                        .exceptionally(failure -> 0L)
                        .thenCompose(done ->
                                connection.run(commands -> commands.zrevrangeWithScores(key, 0, MOST_LISTED - 1)))
                        .thenCompose(listed -> overridden(listed)
                                .thenCompose(overridden -> correct(listed, overridden, now)
                                        .handle((done, failure) -> names(listed, overridden)))));
    }

    private static LimitNames names(List<ScoredValue<byte[]>> listed, Set<String> overridden) {
        Set<String> others = listed.stream().map(LimitList::name).collect(Collectors.toCollection(HashSet::new));
        others.removeAll(overridden);
        return new LimitNames(overridden, others);
    }

    private static String name(ScoredValue<byte[]> listed) {
        return new String(listed.getValue(), StandardCharsets.UTF_8);
    }

    /** Removes limits that nobody has used since then and that have no override. */
    private CompletableFuture<Long> forget(double since) {
        return connection
                .run(commands ->
                        commands.zrangebyscoreWithScores(key, Range.create(0.0, since), Limit.create(0, MOST_LISTED)))
                .thenCompose(
                        unused -> unused.isEmpty() ? CompletableFuture.completedFuture(0L) : forget(unused, since));
    }

    /**
     * Removes all of these by their times: one that is used or changed meanwhile has a later time. Those with an override get an
     * infinite time before.
     */
    private CompletableFuture<Long> forget(List<ScoredValue<byte[]>> unused, double since) {
        // Others may have the same time as the last one.
        Range<Double> looked = unused.size() < MOST_LISTED
                ? Range.create(0.0, since)
                : Range.from(
                        Range.Boundary.including(0.0),
                        Range.Boundary.excluding(unused.get(unused.size() - 1).getScore()));
        return overridden(unused)
                .thenCompose(overridden -> correct(unused, overridden, since))
                .thenCompose(done -> connection.run(commands -> commands.zremrangebyscore(key, looked)));
    }

    /** Returns the names of those that have an override. */
    private CompletableFuture<Set<String>> overridden(List<ScoredValue<byte[]>> listed) {
        Map<String, CompletableFuture<Boolean>> asked = new LinkedHashMap<>();
        for (ScoredValue<byte[]> each : listed) {
            String name = name(each);
            byte[] override = kind.override(connection.keys(), name);
            asked.put(name, connection.run(commands -> commands.hexists(override, kind.number())));
        }
        return all(asked.values().stream())
                .thenApply(done -> asked.entrySet().stream()
                        .filter(each -> each.getValue().join())
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet()));
    }

    /** Gives those with an override an infinite time, and those of the others that have one this time. */
    private CompletableFuture<Void> correct(
            List<ScoredValue<byte[]>> listed, Set<String> overridden, double otherwise) {
        return all(listed.stream()
                .filter(each -> overridden.contains(name(each)) != Double.isInfinite(each.getScore()))
                .map(each -> put(name(each), overridden.contains(name(each)) ? Double.POSITIVE_INFINITY : otherwise)));
    }

    private static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }
}
