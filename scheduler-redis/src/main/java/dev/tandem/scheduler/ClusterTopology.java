package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redis Cluster: a partition is where the master of its hash tag's slot is. */
final class ClusterTopology implements Topology {

    private final RedisClusterClient client;
    private volatile @Nullable Partitions known;

    ClusterTopology(RedisSettings settings) {
        client = RedisClusterClient.create(
                settings.uris().stream().map(RedisURI::create).toList());
        client.setOptions(Connections.mending(ClusterClientOptions.builder()));
    }

    @Override
    public CompletableFuture<Void> refresh() {
        return client.refreshPartitionsAsync()
                .toCompletableFuture()
                .thenRun(() -> known = client.getPartitions().clone());
    }

    @Override
    public @Nullable RedisURI locate(Partition partition) {
        Partitions map = known;
        RedisClusterNode node = map == null ? null : map.getMasterBySlot(SlotHash.getSlot(Keys.wake(partition)));
        return node == null ? null : node.getUri();
    }

    @Override
    public CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber() {
        // Redis Cluster carries a published message to every node, so any will do.
        return client.connectPubSubAsync(StringCodec.UTF8);
    }

    @Override
    public void close() {
        client.shutdownAsync(0, 2, TimeUnit.SECONDS);
    }
}
