package dev.tandem.scheduler;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    private final RedisClient client;

    RedisConnector(RedisSettings settings, ClientResources resources) {
        this.settings = settings;
        client = RedisClient.create(resources);
        client.setOptions(ConnectionOptions.requesting());
    }

    /** Connects to a node. Fails if Redis cannot be reached, does not answer in time, or is unfit. */
    CompletableFuture<RedisSession> connect(RedisNode node) {
        return open(node.uri)
                .thenCompose(connection -> prepare(connection, node)
                        .orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((session, failure) -> {
                            if (failure != null) {
                                connection.closeAsync();
                            }
                        }));
    }

    private CompletableFuture<RedisSession> prepare(
            StatefulRedisConnection<byte[], byte[]> connection, RedisNode node) {
        return info(connection)
                .thenCombine(fsync(connection), (info, fsync) -> RedisPreflight.check(settings, info, fsync))
                .thenCompose(report -> {
                    report.warnings().forEach(warning -> log.warn("Redis at {}: {}", node, warning));
                    if (!report.errors().isEmpty()) {
                        throw new UnfitException(String.join("; ", report.errors()));
                    }
                    return loadScripts(connection);
                })
                .thenCompose(loaded -> replicas(connection, node))
                .thenApply(replicas -> new RedisSession(node, connection, replicas));
    }

    private static CompletableFuture<String> info(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection.async().info().toCompletableFuture();
    }

    /** Returns the setting {@code appendfsync}; null where CONFIG is not allowed, as in hosted Redis. */
    private static CompletableFuture<@Nullable String> fsync(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection
                .async()
                .configGet("appendfsync")
                .toCompletableFuture()
                .handle((values, failure) -> failure != null ? null : values.getOrDefault("appendfsync", ""));
    }

    private static CompletableFuture<Void> loadScripts(StatefulRedisConnection<byte[], byte[]> connection) {
        List<CompletableFuture<String>> loading = new ArrayList<>();
        for (Script script : Script.values()) {
            loading.add(connection.async().scriptLoad(script.source()).toCompletableFuture());
        }
        return CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new));
    }

    /** Makes a second connection to the same process if replicas must confirm. */
    private CompletableFuture<@Nullable ReplicaConfirmation> replicas(
            StatefulRedisConnection<byte[], byte[]> connection, RedisNode node) {
        if (settings.replicas() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return open(node.uri)
                .thenCompose(second -> info(connection).thenCombine(info(second), (first, other) -> {
                    if (!runId(first).equals(runId(other))) {
                        second.closeAsync();
                        throw new IllegalStateException("two connections to one address reached two Redis processes");
                    }
                    return new ReplicaConfirmation(second, settings);
                }));
    }

    private static String runId(String info) {
        return info.lines()
                .filter(line -> line.startsWith("run_id:"))
                .findFirst()
                .orElse("");
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
