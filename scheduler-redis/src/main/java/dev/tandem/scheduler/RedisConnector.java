package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Makes sessions: checks that a Redis is fit for use, and loads the scripts. */
final class RedisConnector {

    /** Says that a Redis answers, but must not be used with its settings. */
    static final class UnfitException extends RuntimeException {
        UnfitException(String message) {
            super(message);
        }
    }

    private final RedisSettings settings;
    private final RedisKeys keys;
    private final KnownReplicas known = new KnownReplicas();
    private final RedisFitness fitness;
    private final RedisClient client;

    RedisConnector(RedisSettings settings, RedisFitness fitness, ClientResources resources) {
        this.settings = settings;
        this.fitness = fitness;
        keys = new RedisKeys(settings.namespace());
        client = RedisClient.create(resources);
        client.setOptions(ConnectionOptions.requesting(settings));
    }

    /** Connects to a node. Fails if Redis cannot be reached, does not answer in time, or is unfit. */
    CompletableFuture<RedisSession> connect(RedisNode node) {
        Partition partition = node.links.iterator().next().partition();
        return open(node.uri).thenCompose(connection -> {
            CompletableFuture<RedisSession> prepared = prepare(connection, node, partition);
            return closeOnFailure(
                            connection,
                            prepared.copy().orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS))
                    .whenComplete((session, failure) -> {
                        if (failure != null) {
                            prepared.thenAccept(RedisSession::close);
                        }
                    });
        });
    }

    /** Says once that one of these parts can be reached and is fit; nothing if none is. */
    void findFit(CompletableFuture<List<RedisTopology.Part>> parts, Runnable reached) {
        AtomicBoolean found = new AtomicBoolean();
        parts.thenAccept(all -> all.forEach(part -> isFit(part).thenAccept(fit -> {
            if (fit && found.compareAndSet(false, true)) {
                reached.run();
            }
        })));
    }

    /** Returns whether a node can be reached and is fit. Whether it reaches its replicas is found out by a session. */
    CompletableFuture<Boolean> isFit(RedisTopology.Part part) {
        RedisNode node = new RedisNode(part.address());
        return open(part.address())
                .thenCompose(connection -> fitness.ask(connection, node, part.probe(), true)
                        .orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((answer, failure) -> connection.closeAsync()))
                .handle((answer, failure) -> failure == null && answer.isFit());
    }

    private CompletableFuture<RedisSession> prepare(
            StatefulRedisConnection<byte[], byte[]> connection, RedisNode node, Partition partition) {
        return fitness.ask(connection, node, keys.owner(partition), true).thenCompose(answer -> {
            if (!answer.isFit()) {
                throw new UnfitException(answer.describe());
            }
            return loadScripts(connection).thenCompose(loaded -> session(connection, answer, node, partition));
        });
    }

    private CompletableFuture<RedisSession> session(
            StatefulRedisConnection<byte[], byte[]> connection,
            RedisFitness.Answer answer,
            RedisNode node,
            Partition partition) {
        String info = answer.info();
        Replication replication = Replication.of(info);
        int replicas = settings.replicas().orElse(settings.durable() ? known.note(replication) : 0);
        boolean waitsForDisk = settings.durable() && RedisPreflight.hasWaitAof(info);
        CompletableFuture<@Nullable DurabilityBarrier> barrier = replicas == 0 && !waitsForDisk
                ? CompletableFuture.completedFuture(null)
                : openSame(node, replication)
                        .thenApply(made -> new DurabilityBarrier(made, keys, replicas, waitsForDisk, settings));
        return barrier.thenCompose(made -> contact(node, replication, replicas, partition)
                .thenApply(contact -> new RedisSession(node, connection, answer.mayAskConfig(), made, contact))
                .whenComplete((session, failure) -> {
                    if (failure != null && made != null) {
                        made.close();
                    }
                }));
    }

    private static CompletableFuture<String> info(StatefulRedisConnection<byte[], byte[]> connection) {
        return connection.async().info().toCompletableFuture();
    }

    private static CompletableFuture<Void> loadScripts(StatefulRedisConnection<byte[], byte[]> connection) {
        List<CompletableFuture<String>> loading = new ArrayList<>();
        for (Script script : Script.values()) {
            loading.add(connection.async().scriptLoad(script.source()).toCompletableFuture());
        }
        return CompletableFuture.allOf(loading.toArray(CompletableFuture[]::new));
    }

    /** Makes one more connection to the same process. */
    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> openSame(
            RedisNode node, Replication replication) {
        return open(node.uri)
                .thenCompose(made -> closeOnFailure(made, info(made).thenApply(info -> {
                    if (!replication.runId().equals(Replication.of(info).runId())) {
                        throw new IllegalStateException("two connections to one address reached two Redis processes");
                    }
                    return made;
                })));
    }

    private static <T> CompletableFuture<T> closeOnFailure(
            StatefulRedisConnection<byte[], byte[]> connection, CompletableFuture<T> made) {
        return made.whenComplete((done, failure) -> {
            if (failure != null) {
                connection.closeAsync();
            }
        });
    }

    /** Refuses a primary that is cut off from its replicas: one of them may have been promoted. */
    private CompletableFuture<@Nullable ReplicaContact> contact(
            RedisNode node, Replication replication, int replicas, Partition partition) {
        if (replicas == 0) {
            return CompletableFuture.completedFuture(null);
        }
        long limit = settings.answerTimeout().toMillis() / 2;
        return openSame(node, replication).thenCompose(made -> {
            ReplicaContact contact = new ReplicaContact(made, keys, replicas);
            return closeOnFailure(made, contact.countAnswering(partition, limit).thenApply(answering -> {
                if (!contact.isQuorum(answering)) {
                    throw new UnfitException("only " + answering + " of " + replicas + " replicas have a write within "
                            + limit + " ms. It may be a former primary that was cut off, so it is not used until they"
                            + " do. " + removedReplica());
                }
                return contact;
            }));
        });
    }

    private String removedReplica() {
        return settings.replicas().isPresent()
                ? "If they were removed for good, lower tandem.redis.replicas"
                : "If they were removed for good, restart Redis, or this process";
    }

    /** Returns what asks whether a Redis is fit. */
    RedisFitness fitness() {
        return fitness;
    }

    /** Makes a connection that nothing is checked for. */
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> open(RedisURI address) {
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
