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

/** Makes sessions: a connection to a Redis that is fit, with the scripts loaded. */
final class Connector {

    private static final Logger log = LoggerFactory.getLogger(Connector.class);

    /** A Redis that answers, and must not be used as it is. */
    static final class UnfitException extends RuntimeException {
        UnfitException(String message) {
            super(message);
        }
    }

    private final RedisSettings settings;
    private final RedisClient client;

    Connector(RedisSettings settings, ClientResources resources) {
        this.settings = settings;
        client = RedisClient.create(resources);
        client.setOptions(Connections.breaking());
    }

    /** Fails if Redis can't be reached, does not answer in time, or is unfit. */
    CompletableFuture<Session> connect(Node node) {
        return open(node.uri)
                .thenCompose(connection -> prepare(connection, node)
                        .orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((session, failure) -> {
                            if (failure != null) {
                                connection.closeAsync();
                            }
                        }));
    }

    private CompletableFuture<Session> prepare(StatefulRedisConnection<byte[], byte[]> connection, Node node) {
        return information(connection)
                .thenCombine(fsync(connection), (info, fsync) -> RedisPreflight.check(settings, info, fsync))
                .thenCompose(report -> {
                    report.warnings().forEach(warning -> log.warn("Redis at {}: {}", node, warning));
                    if (!report.errors().isEmpty()) {
                        throw new UnfitException(String.join("; ", report.errors()));
                    }
                    return loadScripts(connection);
                })
                .thenCompose(loaded -> replicas(connection, node))
                .thenApply(replicas -> new Session(node, connection, replicas));
    }

    private static CompletableFuture<String> information(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection.async().info().toCompletableFuture();
    }

    /** Null where CONFIG is not allowed, as with hosted ones. */
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

    /** A second connection to the same process, where replicas are asked for. */
    private CompletableFuture<@Nullable Replicas> replicas(
            StatefulRedisConnection<byte[], byte[]> connection, Node node) {
        if (settings.replicas() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return open(node.uri)
                .thenCompose(second -> information(connection).thenCombine(information(second), (one, two) -> {
                    if (!run(one).equals(run(two))) {
                        second.closeAsync();
                        throw new IllegalStateException("two connections met two processes");
                    }
                    return new Replicas(second, settings);
                }));
    }

    private static String run(String info) {
        return info.lines()
                .filter(line -> line.startsWith("run_id:"))
                .findFirst()
                .orElse("");
    }

    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> open(RedisURI address) {
        try {
            return client.connectAsync(ByteArrayCodec.INSTANCE, address).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Closes all connections. */
    CompletableFuture<Void> end() {
        return client.shutdownAsync(0, 2, TimeUnit.SECONDS);
    }
}
