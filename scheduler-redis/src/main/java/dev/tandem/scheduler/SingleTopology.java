package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One Redis, or the master that Sentinels name whenever a connection is made. */
final class SingleTopology implements Topology {

    private final RedisURI uri;
    private final RedisClient client;

    SingleTopology(RedisSettings settings) {
        uri = RedisURI.create(settings.uris().get(0));
        client = RedisClient.create(uri);
        client.setOptions(Connections.mending());
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
        return client.connectPubSubAsync(StringCodec.UTF8, uri).toCompletableFuture();
    }

    @Override
    public void close() {
        client.shutdownAsync(0, 2, TimeUnit.SECONDS);
    }
}
