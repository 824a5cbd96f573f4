package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redis Cluster: a partition is where the master of its hash tag's slot is. */
final class ClusterTopology implements Topology {

    private final RedisClusterClient subscribing;
    private final RedisClusterClient commanding;
    private volatile @Nullable Partitions known;

    ClusterTopology(RedisSettings settings, ClientResources resources) {
        List<RedisURI> uris = settings.uris().stream()
                .map(each -> Connections.uri(settings, each))
                .toList();
        subscribing = RedisClusterClient.create(resources, uris);
        subscribing.setOptions(Connections.clusterSubscribing());
        commanding = RedisClusterClient.create(resources, uris);
        commanding.setOptions(Connections.clusterCommanding());
    }

    @Override
    public CompletableFuture<Void> refresh() {
        return commanding
                .refreshPartitionsAsync()
                .toCompletableFuture()
                .thenRun(() -> known = commanding.getPartitions().clone());
    }

    @Override
    public @Nullable RedisURI locate(Partition partition) {
        Partitions map = known;
        RedisClusterNode node = map == null ? null : map.getMasterBySlot(SlotHash.getSlot(Keys.wake(partition)));
        return node == null ? null : node.getUri();
    }

    @Override
    public CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber() {
        // Redis Cluster carries a published message to every node, so any will do. The client must know them first.
        return subscribing
                .refreshPartitionsAsync()
                .toCompletableFuture()
                .thenCompose(known -> subscribing.connectPubSubAsync(StringCodec.UTF8));
    }

    @Override
    public CompletableFuture<RedisAdvancedClusterAsyncCommands<byte[], byte[]>> commands() {
        return commanding.connectAsync(ByteArrayCodec.INSTANCE).thenApply(StatefulRedisClusterConnection::async);
    }

    @Override
    public CompletableFuture<Void> end() {
        return CompletableFuture.allOf(
                subscribing.shutdownAsync(0, 2, TimeUnit.SECONDS), commanding.shutdownAsync(0, 2, TimeUnit.SECONDS));
    }
}
