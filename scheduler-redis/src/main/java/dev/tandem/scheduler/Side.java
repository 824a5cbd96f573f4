package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to Redis for all that is not a link's: looking, operators' changes, presence, housekeeping. Connects at its
 * first use. An answer that does not come within the limit fails the future. Thread-safe.
 */
final class Side {

    private final Topology topology;
    private final long limitMillis;
    private @Nullable CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> connecting;

    Side(Topology topology, long limitMillis) {
        this.topology = topology;
        this.limitMillis = limitMillis;
    }

    /** Runs commands on the connection. */
    <T> CompletableFuture<T> run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> commands) {
        return connection().thenCompose(commands).toCompletableFuture().orTimeout(limitMillis, TimeUnit.MILLISECONDS);
    }

    /** Runs one of a partition's scripts that need no owner. */
    CompletableFuture<List<Object>> script(Script script, Partition partition, byte[]... args) {
        byte[][] keys = Keys.of(partition);
        return run(commands -> {
            String sha = new String(script.sha(), StandardCharsets.US_ASCII);
            CompletionStage<List<Object>> answer = commands.evalsha(sha, ScriptOutputType.MULTI, keys, args);
            return answer.handle((reply, failure) -> failure == null
                            ? CompletableFuture.completedFuture(reply)
                            : Failures.isScriptMissing(failure)
                                    ? commands.<List<Object>>eval(script.source(), ScriptOutputType.MULTI, keys, args)
                                            .toCompletableFuture()
                                    : CompletableFuture.<List<Object>>failedFuture(failure))
                    .thenCompose(Function.identity());
        });
    }

    private synchronized CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connection() {
        CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> now = connecting;
        if (now == null || now.isCompletedExceptionally()) {
            try {
                now = topology.commands();
            } catch (RuntimeException e) {
                now = CompletableFuture.failedFuture(e);
            }
            connecting = now;
        }
        return now.thenApply(Function.identity());
    }
}
