package dev.tandem.scheduler;

import dev.tandem.task.Utf8;
import dev.tandem.task.store.HandledTypes;
import io.lettuce.core.Range;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The registry of live executors. Each registers every few seconds; one that was silent for a minute is forgotten. People
 * look at it, and the assignment of partitions uses it. No guarantee depends on it. Thread-safe.
 */
public final class Presence {

    /** The most partitions of a queue of which an executor tells waits, the longest. If there are as many, it has left others out. */
    public static final int MOST_WAITS = 1_000;

    private static final long FORGOTTEN_MILLIS = Duration.ofMinutes(1).toMillis();

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;

    Presence(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
    }

    /**
     * An executor.
     *
     * @param id unique per process start
     * @param startedAt epoch milliseconds, by its own clock
     * @param lastSeen epoch milliseconds, by Redis's clock; ignored by {@link #beat}
     * @param running the count of running tasks, of each queue that it takes its share of
     */
    public record Executor(String id, String host, long startedAt, long lastSeen, Map<String, Integer> running) {

        public Executor {
            running = Map.copyOf(running);
            if (id.isBlank() || host.indexOf('\n') >= 0) {
                throw new IllegalArgumentException(
                        "An executor needs an id and a host without line breaks, but has the id '" + id
                                + "' and the host '" + host + "'");
            }
        }
    }

    /** Returns this machine's name, or {@code executor} if it has none that is usable. */
    public static String localHost() {
        try {
            String host = InetAddress.getLocalHost().getHostName().split("\\.", 2)[0];
            return host.matches("[A-Za-z0-9_-]{1,60}") ? host : "executor";
        } catch (UnknownHostException e) {
            return "executor";
        }
    }

    /**
     * Registers that this executor is alive.
     *
     * @param changed whether others should look at once, as they do when an executor comes
     */
    public CompletableFuture<Void> beat(Executor executor, boolean changed) {
        byte[] id = Utf8.bytes(executor.id());
        return connection
                .now()
                .thenCompose(now -> connection
                        .run(commands ->
                                commands.hset(connection.keys().executorFacts(), id, Utf8.bytes(facts(executor))))
                        .thenCompose(set -> connection.run(
                                commands -> commands.zadd(connection.keys().executors(), (double) now.longValue(), id)))
                        .thenCompose(added ->
                                added > 0 || changed ? announce("came") : CompletableFuture.completedFuture(null)));
    }

    /** Announces what an executor has handlers for. To be called before it beats, so that nobody knows it without. */
    CompletableFuture<Void> announceHandlers(String id, Map<String, HandledTypes> handled) {
        return announce(connection.keys().executorHandlers(), id, handled);
    }

    /** Announces for which types an executor had no handler lately. Takes an earlier announcement back if there are none. */
    CompletableFuture<Void> announceUnhandled(String id, Map<String, HandledTypes> types) {
        return types.isEmpty()
                ? connection
                        .run(commands -> commands.hdel(connection.keys().executorUnhandled(), Utf8.bytes(id)))
                        .thenApply(removed -> null)
                : announce(connection.keys().executorUnhandled(), id, types);
    }

    /** Announces the queues of which an executor holds partitions and in which it has no problem. */
    CompletableFuture<Void> announceWorking(String id, Set<String> queues) {
        byte[] key = connection.keys().executorWorking();
        return queues.isEmpty()
                ? connection.run(commands -> commands.hdel(key, Utf8.bytes(id))).thenApply(removed -> null)
                : connection
                        .run(commands -> commands.hset(
                                key, Utf8.bytes(id), Utf8.bytes(String.join("\n", new TreeSet<>(queues)))))
                        .thenApply(set -> null);
    }

    /** Announces for how long the oldest tasks of an executor have waited that could start, by queue and partition. */
    CompletableFuture<Void> announceWaits(String id, Map<String, Map<String, Long>> waits) {
        return connection
                .run(commands -> commands.hset(
                        connection.keys().executorWaits(), Utf8.bytes(id), Utf8.bytes(WaitAnnouncement.encode(waits))))
                .thenApply(set -> null);
    }

    /** Returns the same of executors, by executor, queue and partition. Of a queue that is missing it is not known. */
    public CompletableFuture<Map<String, Map<String, Map<String, Long>>>> waits(Collection<String> ids) {
        return texts(connection.keys().executorWaits(), ids).thenApply(found -> {
            Map<String, Map<String, Map<String, Long>>> waits = new TreeMap<>();
            found.forEach((id, text) -> waits.put(id, WaitAnnouncement.decode(text)));
            return waits;
        });
    }

    /** Returns the queues that executors work on. */
    CompletableFuture<Map<String, Set<String>>> working(Collection<String> ids) {
        return texts(connection.keys().executorWorking(), ids)
                .thenApply(found -> found.entrySet().stream()
                        .collect(Collectors.toUnmodifiableMap(
                                Map.Entry::getKey,
                                each -> Set.copyOf(List.of(each.getValue().split("\n"))))));
    }

    /** Returns what a hash has of these executors, by their ids. */
    private CompletableFuture<Map<String, String>> texts(byte[] key, Collection<String> ids) {
        if (ids.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        byte[][] names = ids.stream().map(Utf8::bytes).toArray(byte[][]::new);
        return connection
                .run(commands -> commands.hmget(key, names))
                .thenApply(found -> found.stream()
                        .filter(each -> each.hasValue())
                        .collect(Collectors.toUnmodifiableMap(
                                each -> text(each.getKey()), each -> text(each.getValue()))));
    }

    private CompletableFuture<Void> announce(byte[] key, String id, Map<String, HandledTypes> types) {
        String text = HandlerAnnouncement.encode(types);
        if (types.isEmpty() || text.length() > HandlerAnnouncement.MAX_LENGTH) {
            return CompletableFuture.completedFuture(null);
        }
        return connection
                .run(commands -> commands.hset(key, Utf8.bytes(id), Utf8.bytes(text)))
                .thenApply(set -> null);
    }

    /** Returns what executors have handlers for, of each queue. One that announces nothing is left out. */
    public CompletableFuture<Map<String, Map<String, HandledTypes>>> handlers(Collection<String> ids) {
        return announced(connection.keys().executorHandlers(), ids);
    }

    /** Returns for which types executors had no handler lately, of each queue. */
    public CompletableFuture<Map<String, Map<String, HandledTypes>>> unhandled(Collection<String> ids) {
        return announced(connection.keys().executorUnhandled(), ids);
    }

    private CompletableFuture<Map<String, Map<String, HandledTypes>>> announced(byte[] key, Collection<String> ids) {
        return texts(key, ids).thenApply(found -> {
            Map<String, Map<String, HandledTypes>> all = new TreeMap<>();
            found.forEach((id, text) -> all.put(id, HandlerAnnouncement.decode(text)));
            return all;
        });
    }

    /** Returns the ids of the executors that are not silent. */
    public CompletableFuture<Set<String>> liveIds() {
        return executors()
                .thenApply(all -> LiveExecutors.live(all).stream()
                        .map(Executor::id)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Removes an executor from the registry. */
    public CompletableFuture<Void> leave(String id) {
        byte[] name = Utf8.bytes(id);
        return connection
                .run(commands -> commands.zrem(connection.keys().executors(), name))
                .thenCompose(removed -> connection.run(
                        commands -> commands.hdel(connection.keys().executorFacts(), name)))
                .thenCompose(removed -> connection.run(
                        commands -> commands.hdel(connection.keys().executorHandlers(), name)))
                .thenCompose(removed -> connection.run(
                        commands -> commands.hdel(connection.keys().executorUnhandled(), name)))
                .thenCompose(removed -> connection.run(
                        commands -> commands.hdel(connection.keys().executorWorking(), name)))
                .thenCompose(removed -> connection.run(
                        commands -> commands.hdel(connection.keys().executorWaits(), name)))
                .thenCompose(removed -> announce("left"));
    }

    private CompletableFuture<Void> announce(String what) {
        return connection
                .run(commands -> commands.publish(Utf8.bytes(connection.keys().executorsChannel()), Utf8.bytes(what)))
                .thenApply(receivers -> null);
    }

    /**
     * Calls the listener when an executor came or left, or when that may have been missed. An executor that dies
     * announces nothing.
     *
     * @param listener called on any thread; it must not block
     * @return ends the watch when closed
     */
    public AutoCloseable watch(Runnable listener) {
        wakeups.add(connection.keys().executorsChannel(), listener);
        return () -> wakeups.remove(connection.keys().executorsChannel(), listener);
    }

    /** Returns whether an executor was seen lately. One that was not has died, has stopped, or cannot reach Redis. */
    public CompletableFuture<Boolean> isLive(String id) {
        return connection
                .now()
                .thenCompose(now -> connection
                        .run(commands -> commands.zscore(connection.keys().executors(), Utf8.bytes(id)))
                        .thenApply(seen -> seen != null && now - seen < LiveExecutors.SILENT_MILLIS));
    }

    /** Returns the executors that were seen within the last minute, in order of their ids. */
    public CompletableFuture<List<Executor>> executors() {
        return connection
                .now()
                .thenCompose(now -> connection
                        .run(commands ->
                                commands.zrangeWithScores(connection.keys().executors(), 0, -1))
                        .thenCombine(
                                connection.run(commands ->
                                        commands.hgetall(connection.keys().executorFacts())),
                                (seen, facts) -> {
                                    Map<String, String> known = new TreeMap<>();
                                    facts.forEach((id, text) -> known.put(text(id), text(text)));
                                    List<Executor> executors = new ArrayList<>();
                                    seen.forEach(each -> {
                                        String id = text(each.getValue());
                                        if (each.getScore() > now - FORGOTTEN_MILLIS && known.containsKey(id)) {
                                            executors.add(read(id, known.get(id), (long) each.getScore()));
                                        }
                                    });
                                    executors.sort((one, two) -> one.id().compareTo(two.id()));
                                    return executors;
                                }));
    }

    /** Removes executors that were silent for more than a minute. */
    CompletableFuture<Void> removeSilent() {
        return connection.now().thenCompose(now -> {
            Range<Double> silent = Range.create(0.0, (double) now - FORGOTTEN_MILLIS);
            return connection
                    .run(commands -> commands.zrangebyscore(connection.keys().executors(), silent))
                    .thenCompose(ids -> ids.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : connection
                                    .run(commands -> commands.hdel(
                                            connection.keys().executorFacts(), ids.toArray(byte[][]::new)))
                                    .thenCompose(gone -> connection.run(commands -> commands.zremrangebyscore(
                                            connection.keys().executors(), silent)))
                                    .thenApply(gone -> null))
                    .thenCompose(gone ->
                            removeAnnouncementsOfUnknown(connection.keys().executorHandlers()))
                    .thenCompose(gone ->
                            removeAnnouncementsOfUnknown(connection.keys().executorUnhandled()))
                    .thenCompose(gone ->
                            removeAnnouncementsOfUnknown(connection.keys().executorWorking()))
                    .thenCompose(gone ->
                            removeAnnouncementsOfUnknown(connection.keys().executorWaits()));
        });
    }

    /** Removes what unregistered executors announced. A version that does not know of announcements leaves them. */
    private CompletableFuture<Void> removeAnnouncementsOfUnknown(byte[] key) {
        return connection
                .run(commands -> commands.hkeys(key))
                .thenCombine(
                        connection.run(
                                commands -> commands.zrange(connection.keys().executors(), 0, -1)),
                        (announced, seen) -> {
                            Set<String> known =
                                    seen.stream().map(Presence::text).collect(Collectors.toSet());
                            return announced.stream()
                                    .filter(id -> !known.contains(text(id)))
                                    .toArray(byte[][]::new);
                        })
                .thenCompose(unknown -> unknown.length == 0
                        ? CompletableFuture.completedFuture(null)
                        : connection
                                .run(commands -> commands.hdel(key, unknown))
                                .thenApply(removed -> null));
    }

    private static String facts(Executor executor) {
        StringBuilder facts = new StringBuilder("1\n")
                .append(executor.startedAt())
                .append('\n')
                .append(executor.host());
        new TreeMap<>(executor.running())
                .forEach((queue, count) ->
                        facts.append('\n').append(queue).append('=').append(count));
        return facts.toString();
    }

    private static Executor read(String id, String facts, long lastSeen) {
        String[] lines = facts.split("\n", -1);
        Map<String, Integer> running = new TreeMap<>();
        for (int i = 3; i < lines.length; i++) {
            int at = lines[i].lastIndexOf('=');
            running.put(lines[i].substring(0, at), Integer.parseInt(lines[i].substring(at + 1)));
        }
        return new Executor(id, lines[2], Long.parseLong(lines[1]), lastSeen, running);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
