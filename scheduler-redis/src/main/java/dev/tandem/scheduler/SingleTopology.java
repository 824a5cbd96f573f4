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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One Redis, or the master that Sentinels name whenever a connection is made. */
final class SingleTopology implements Topology {

    private final RedisURI uri;
    private final RedisClient subscribing;
    private final RedisClient commanding;

    SingleTopology(RedisSettings settings, ClientResources resources) {
        uri = Connections.uri(settings, settings.uris().get(0));
        subscribing = RedisClient.create(resources);
        subscribing.setOptions(Connections.subscribing());
        commanding = RedisClient.create(resources);
        commanding.setOptions(Connections.commanding());
    }

    @Override
    public CompletableFuture<Void> refresh() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public RedisURI locate(Partition partition) {
        return uri;
    }

    @Override
    public CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscriber() {
        return subscribing.connectPubSubAsync(StringCodec.UTF8, uri).toCompletableFuture();
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<byte[], byte[]>> commands() {
        return commanding
                .connectAsync(ByteArrayCodec.INSTANCE, uri)
                .toCompletableFuture()
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    public CompletableFuture<Void> end() {
        return CompletableFuture.allOf(
                subscribing.shutdownAsync(0, 2, TimeUnit.SECONDS), commanding.shutdownAsync(0, 2, TimeUnit.SECONDS));
    }
}
