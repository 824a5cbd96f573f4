package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreRoom;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at each Redis that may have partitions, over a connection that is made for it. Changes nothing. */
final class RedisExaminer {

    /** Any partition: with one Redis, all have the same address. */
    private static final Partition ANY = Partition.of("any", 0);

    private record Clock(long aheadMillis, long roundTripMillis) {}

    private final RedisSettings settings;
    private final RedisTopology topology;
    private final RedisConnector connector;
    private final RedisKeys keys;

    RedisExaminer(RedisSettings settings, RedisTopology topology, RedisConnector connector) {
        this.settings = settings;
        this.topology = topology;
        this.connector = connector;
        this.keys = new RedisKeys(settings.namespace());
    }

    CompletableFuture<List<RedisExam>> examine() {
        return topology.parts().thenCompose(parts -> {
            RedisURI single = parts.isEmpty() ? topology.locate(ANY) : null;
            List<CompletableFuture<RedisExam>> exams = single == null
                    ? parts.stream()
                            .map(part -> examine(part.address(), part.probe()))
                            .toList()
                    : List.of(examine(single, keys.fitness(0)));
            return CompletableFuture.allOf(exams.toArray(CompletableFuture[]::new))
                    .thenApply(
                            done -> exams.stream().map(CompletableFuture::join).toList());
        });
    }

    private CompletableFuture<RedisExam> examine(RedisURI address, byte @Nullable [] probe) {
        RedisNode node = new RedisNode(address);
        return connector
                .open(address)
                .thenCompose(connection -> ask(connection, node, probe)
                        .orTimeout(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((exam, failure) -> connection.closeAsync()))
                .exceptionally(failure -> RedisExam.failed(node.toString(), why(failure)));
    }

    private CompletableFuture<RedisExam> ask(
            StatefulRedisConnection<byte[], byte[]> connection, RedisNode node, byte @Nullable [] probe) {
        CompletableFuture<Clock> clock = clock(connection);
        CompletableFuture<@Nullable List<String>> refused =
                probe == null ? CompletableFuture.completedFuture(null) : refused(connection, probe);
        return connector
                .fitness()
                .ask(connection, node, probe, true)
                .thenCombine(clock, (answer, time) -> exam(node, answer, time))
                .thenCombine(refused, RedisExaminer::withRefused);
    }

    private RedisExam exam(RedisNode node, RedisFitness.Answer answer, Clock clock) {
        MemoryUsage memory = MemoryUsage.of(answer.info());
        return new RedisExam(
                node.toString(),
                null,
                RedisPreflight.facts(answer.info()).getOrDefault("redis_version", ""),
                answer.errors(),
                answer.warnings(),
                Replication.of(answer.info()).replicas(),
                settings.durable() ? settings.replicas().orElse(0) : 0,
                memory.used(),
                memory.limit(),
                memory.room(settings.headroom(), StoreRoom.HALF).isLeft(),
                clock.aheadMillis(),
                clock.roundTripMillis(),
                null);
    }

    private static RedisExam withRefused(RedisExam exam, @Nullable List<String> refused) {
        return new RedisExam(
                exam.node(),
                exam.failure(),
                exam.version(),
                exam.errors(),
                exam.warnings(),
                exam.replicas(),
                exam.replicasRequired(),
                exam.usedBytes(),
                exam.maxBytes(),
                exam.hasRoom(),
                exam.aheadMillis(),
                exam.roundTripMillis(),
                refused);
    }

    /** Compares the clocks at the middle of a round trip. */
    private static CompletableFuture<Clock> clock(StatefulRedisConnection<byte[], byte[]> connection) {
        long sent = System.currentTimeMillis();
        return connection.async().time().toCompletableFuture().thenApply(time -> {
            long received = System.currentTimeMillis();
            long there = number(time.get(0)) * 1_000 + number(time.get(1)) / 1_000;
            return new Clock(there - (sent + received) / 2, received - sent);
        });
    }

    private static long number(byte[] text) {
        return Long.parseLong(new String(text, StandardCharsets.US_ASCII));
    }

    /** Asks which commands are refused. Null if this Redis cannot tell. */
    private CompletableFuture<@Nullable List<String>> refused(
            StatefulRedisConnection<byte[], byte[]> connection, byte[] key) {
        return connection
                .async()
                .<List<Object>>eval(
                        Script.CHECK_RIGHTS.source(),
                        ScriptOutputType.MULTI,
                        new byte[][] {key},
                        RedisRights.arguments(settings.namespace() + ":doctor", settings.cluster()))
                .toCompletableFuture()
                .handle((reply, failure) -> {
                    if (failure != null) {
                        // Nothing runs without scripts on keys of the namespace.
                        return RedisFailures.describe(failure).startsWith("NOPERM") ? List.of("eval") : null;
                    } else if (reply.size() < 2 || !reply.get(1).equals(1L)) {
                        return null;
                    }
                    return reply.stream()
                            .skip(2)
                            .map(each -> new String((byte[]) each, StandardCharsets.UTF_8))
                            .toList();
                });
    }

    private static String why(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof TimeoutException ? "it does not answer in time" : RedisFailures.describe(cause);
    }
}
