package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One Redis, or the master that the Sentinels name at the time when a connection is made. */
final class SingleTopology implements RedisTopology {

    private final RedisURI uri;
    private final RedisClient subscribingClient;
    private final RedisClient commandingClient;

    SingleTopology(RedisSettings settings, ClientResources resources) {
        uri = ConnectionOptions.uri(settings, settings.uris().get(0));
        subscribingClient = RedisClient.create(resources);
        subscribingClient.setOptions(ConnectionOptions.subscribing(settings));
        commandingClient = RedisClient.create(resources);
        commandingClient.setOptions(ConnectionOptions.commanding(settings));
    }

    @Override
    public CompletableFuture<Void> refresh() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Part>> parts() {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public RedisURI locate(Partition partition) {
        return uri;
    }

    @Override
    public CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscriber() {
        return subscribingClient.connectPubSubAsync(StringCodec.UTF8, uri).toCompletableFuture();
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<byte[], byte[]>> commands() {
        return commandingClient
                .connectAsync(ByteArrayCodec.INSTANCE, uri)
                .toCompletableFuture()
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    public void onConnected(Runnable action) {
        commandingClient.addListener(RedisTopology.connected(action));
    }

    @Override
    public CompletableFuture<Void> close() {
        return CompletableFuture.allOf(
                subscribingClient.shutdownAsync(0, 2, TimeUnit.SECONDS),
                commandingClient.shutdownAsync(0, 2, TimeUnit.SECONDS));
    }
}
