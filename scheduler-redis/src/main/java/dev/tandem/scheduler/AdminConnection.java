package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection for everything that is not a store link's: inspection, operators' changes, presence, housekeeping.
 * Connects at its first use. A future fails if its answer does not come within the limit. Thread-safe.
 */
final class AdminConnection {

    private final RedisTopology topology;
    private final RedisKeys keys;
    private final long limitMillis;
    private final Map<String, EventPolicy> events;
    private @Nullable CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> connecting;

    /** @param events of the queues that have some */
    AdminConnection(RedisTopology topology, RedisKeys keys, long limitMillis, Map<String, EventPolicy> events) {
        this.topology = topology;
        this.keys = keys;
        this.limitMillis = limitMillis;
        this.events = Map.copyOf(events);
    }

    /** Returns the names of the keys that its commands may use. */
    RedisKeys keys() {
        return keys;
    }

    /** Returns the policy of a queue's events, as scripts take it; empty if it has none. */
    String eventPolicy(String queue) {
        EventPolicy policy = events.get(queue);
        return policy == null ? "" : policy.text(true);
    }

    /** Returns the keys of scripts that may record events. */
    byte[][] keysWithEvents(Partition partition) {
        return events.containsKey(partition.queue()) ? keys.withEvents(partition) : keys.of(partition);
    }

    /** Runs an action whenever a node is connected to, also when that happens by itself. It must not block. */
    void onConnected(Runnable action) {
        topology.onConnected(action);
    }

    /** Runs commands. */
    <T> CompletableFuture<T> run(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> commands) {
        return connection().thenCompose(commands).toCompletableFuture().orTimeout(limitMillis, TimeUnit.MILLISECONDS);
    }

    /** Returns Redis's time in epoch milliseconds. */
    CompletableFuture<Long> now() {
        return run(commands -> commands.time())
                .thenApply(time -> number(time.get(0)) * 1_000 + number(time.get(1)) / 1_000);
    }

    private static long number(byte[] text) {
        return Long.parseLong(new String(text, StandardCharsets.US_ASCII));
    }

    /** Runs a script of a partition that needs no owner. Loads it if Redis does not have it. */
    CompletableFuture<List<Object>> runScript(Script script, Partition partition, byte[]... args) {
        return runScript(script, keys.of(partition), args);
    }

    /** Runs a script with these keys, which share a hash tag. Loads it if Redis does not have it. */
    CompletableFuture<List<Object>> runScript(Script script, byte[][] scriptKeys, byte[]... args) {
        return run(commands -> {
            String sha = new String(script.sha(), StandardCharsets.US_ASCII);
            CompletionStage<List<Object>> answer = commands.evalsha(sha, ScriptOutputType.MULTI, scriptKeys, args);
            return answer.handle((reply, failure) -> failure == null
                            ? CompletableFuture.completedFuture(reply)
                            : RedisFailures.isScriptMissing(failure)
                                    ? commands.<List<Object>>eval(
                                                    script.source(), ScriptOutputType.MULTI, scriptKeys, args)
                                            .toCompletableFuture()
                                    : CompletableFuture.<List<Object>>failedFuture(failure))
                    .thenCompose(Function.identity());
        });
    }

    private synchronized CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connection() {
        CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> current = connecting;
        if (current == null || current.isCompletedExceptionally()) {
            try {
                current = topology.commands();
            } catch (RuntimeException | Error e) {
                current = CompletableFuture.failedFuture(e);
            }
            connecting = current;
        }
        return current.thenApply(Function.identity());
    }
}
