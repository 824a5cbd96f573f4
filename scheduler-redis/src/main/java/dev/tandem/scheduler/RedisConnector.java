package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sessions: checks that a Redis is fit for use, and loads the scripts. */
final class RedisConnector {

    private static final Logger log = LoggerFactory.getLogger(RedisConnector.class);

    /** Says that a Redis answers, but must not be used with its settings. */
    static final class UnfitException extends RuntimeException {
        UnfitException(String message) {
            super(message);
        }
    }

    private final RedisSettings settings;
    private final RedisKeys keys;
    private final KnownReplicas known = new KnownReplicas();

    /** What was logged before: a warning of each node is logged once. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private final RedisClient client;

    RedisConnector(RedisSettings settings, ClientResources resources) {
        this.settings = settings;
        keys = new RedisKeys(settings.namespace());
        client = RedisClient.create(resources);
        client.setOptions(ConnectionOptions.requesting());
    }

    /** Connects to a node. Fails if Redis cannot be reached, does not answer in time, or is unfit. */
    CompletableFuture<RedisSession> connect(RedisNode node) {
        Partition partition = node.links.iterator().next().partition();
        return open(node.uri)
                .thenCompose(connection -> prepare(connection, node, partition)
                        .orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((session, failure) -> {
                            if (failure != null) {
                                connection.closeAsync();
                            }
                        }));
    }

    private CompletableFuture<RedisSession> prepare(
            StatefulRedisConnection<byte[], byte[]> connection, RedisNode node, Partition partition) {
        return info(connection)
                .thenCombine(config(connection), (info, config) -> {
                    check(node, RedisPreflight.check(settings, info, config));
                    return info;
                })
                .thenCompose(info -> loadScripts(connection).thenCompose(loaded -> barrier(info, node, partition)))
                .thenApply(barrier -> new RedisSession(node, connection, barrier));
    }

    private void check(RedisNode node, RedisPreflight.Report report) {
        for (String warning : report.warnings()) {
            if (warned.add(node + ": " + warning)) {
                log.warn("Redis at {}: {}", node, warning);
            }
        }
        if (!report.errors().isEmpty()) {
            throw new UnfitException(String.join("; ", report.errors()));
        }
    }

    private static CompletableFuture<String> info(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection.async().info().toCompletableFuture();
    }

    /** Returns the values of {@link RedisPreflight#CONFIG}; none where CONFIG is not allowed, as in hosted Redis. */
    private static CompletableFuture<Map<String, String>> config(StatefulRedisConnection<byte[], byte[]> connection) {
        // Redis 6.2 takes one name at a time.
        List<CompletableFuture<Map<String, String>>> values = RedisPreflight.CONFIG.stream()
                .map(name ->
                        connection.async().configGet(name).toCompletableFuture().exceptionally(refused -> Map.of()))
                .toList();
        return CompletableFuture.allOf(values.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Map<String, String> config = new HashMap<>();
            values.forEach(each -> config.putAll(each.join()));
            return config;
        });
    }

    private static CompletableFuture<Void> loadScripts(StatefulRedisConnection<byte[], byte[]> connection) {
        List<CompletableFuture<String>> loading = new ArrayList<>();
        for (Script script : Script.values()) {
            loading.add(connection.async().scriptLoad(script.source()).toCompletableFuture());
        }
        return CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new));
    }

    /** Makes a second connection to the same process if replicas, or its disk, must confirm. */
    private CompletableFuture<@Nullable DurabilityBarrier> barrier(String info, RedisNode node, Partition partition) {
        Replication replication = Replication.of(info);
        int required = settings.replicas().orElse(settings.durable() ? known.note(replication) : 0);
        boolean waitsForDisk = settings.durable() && RedisPreflight.hasWaitAof(info);
        if (required == 0 && !waitsForDisk) {
            return CompletableFuture.completedFuture(null);
        }
        return open(node.uri)
                .thenCompose(second -> info(second)
                        .thenCompose(other -> {
                            if (!replication
                                    .runId()
                                    .equals(Replication.of(other).runId())) {
                                throw new IllegalStateException(
                                        "two connections to one address reached two Redis processes");
                            }
                            DurabilityBarrier barrier =
                                    new DurabilityBarrier(second, keys, required, waitsForDisk, settings);
                            return awaitReplicas(barrier, partition);
                        })
                        .whenComplete((barrier, failure) -> {
                            if (failure != null) {
                                second.closeAsync();
                            }
                        }));
    }

    /** Refuses a primary that is cut off from its replicas: one of them may have been promoted. */
    private CompletableFuture<DurabilityBarrier> awaitReplicas(DurabilityBarrier barrier, Partition partition) {
        long limit = settings.answerTimeout().toMillis() / 2;
        return barrier.countAnswering(partition, limit).thenApply(answering -> {
            if (!barrier.isQuorum(answering)) {
                throw new UnfitException("only " + answering + " of " + barrier.replicas()
                        + " replicas have a write within " + limit + " ms. It may be a former primary that was cut off,"
                        + " so it is not used until they do. " + removedReplica());
            }
            return barrier;
        });
    }

    private String removedReplica() {
        return settings.replicas().isPresent()
                ? "If they were removed for good, lower tandem.redis.replicas"
                : "If they were removed for good, restart Redis, or this process";
    }

    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> open(RedisURI address) {
        try {
            return client.connectAsync(ByteArrayCodec.INSTANCE, address).toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Closes all connections. */
    CompletableFuture<Void> close() {
        return client.shutdownAsync(0, 2, TimeUnit.SECONDS);
    }
}
