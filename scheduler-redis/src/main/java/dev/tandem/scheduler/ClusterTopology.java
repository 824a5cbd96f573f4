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

/** A Redis Cluster. A partition is on the master of its hash tag's slot. */
final class ClusterTopology implements RedisTopology {

    /** Enough to find a name for a node that has one slot in a thousand, all but certainly. */
    private static final int MAX_PROBES = 20_000;

    private final RedisKeys keys;
    private final RedisClusterClient subscribingClient;
    private final RedisClusterClient commandingClient;
    private volatile @Nullable Partitions known;

    ClusterTopology(RedisSettings settings, ClientResources resources) {
        keys = new RedisKeys(settings.namespace());
        List<RedisURI> uris = settings.uris().stream()
                .map(each -> ConnectionOptions.uri(settings, each))
                .toList();
        subscribingClient = RedisClusterClient.create(resources, uris);
        subscribingClient.setOptions(ConnectionOptions.clusterSubscribing(settings));
        commandingClient = RedisClusterClient.create(resources, uris);
        commandingClient.setOptions(ConnectionOptions.clusterCommanding(settings));
    }

    @Override
    public CompletableFuture<Void> refresh() {
        return commandingClient
                .refreshPartitionsAsync()
                .toCompletableFuture()
                .thenRun(() -> known = commandingClient.getPartitions().clone());
    }

    @Override
    public CompletableFuture<List<Part>> parts() {
        return refresh()
                .thenApply(done -> commandingClient.getPartitions().stream()
                        .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
                        .map(node -> new Part(node.getUri(), probe(node)))
                        .toList());
    }

    /** Looks for a name whose slot this node has. Each try hits with the node's share of the slots. */
    private byte @Nullable [] probe(RedisClusterNode node) {
        for (int number = 0; number < MAX_PROBES; number++) {
            byte[] key = keys.fitness(number);
            if (node.hasSlot(SlotHash.getSlot(key))) {
                return key;
            }
        }
        return null;
    }

    @Override
    public @Nullable RedisURI locate(Partition partition) {
        Partitions map = known;
        RedisClusterNode node = map == null ? null : map.getMasterBySlot(SlotHash.getSlot(keys.wakeChannel(partition)));
        return node == null ? null : node.getUri();
    }

    @Override
    public CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber() {
        // Redis Cluster carries a published message to every node, so any node will do. The client must know one first.
        return subscribingClient
                .refreshPartitionsAsync()
                .toCompletableFuture()
                .thenCompose(known -> subscribingClient.connectPubSubAsync(StringCodec.UTF8));
    }

    @Override
    public CompletableFuture<RedisAdvancedClusterAsyncCommands<byte[], byte[]>> commands() {
        // The client must know the nodes first, also in a process that has not looked for any partition.
        return (known == null ? refresh() : CompletableFuture.<Void>completedFuture(null))
                .thenCompose(done -> commandingClient.connectAsync(ByteArrayCodec.INSTANCE))
                .thenCompose(this::connectToPrimaries)
                .thenApply(StatefulRedisClusterConnection::async);
    }

    /**
     * Connects to each node that has slots. Otherwise the client does so at the first command for the node, and refuses all commands
     * for it meanwhile. A node that cannot be reached does not matter here: commands for it are refused.
     */
    private CompletableFuture<StatefulRedisClusterConnection<byte[], byte[]>> connectToPrimaries(
            StatefulRedisClusterConnection<byte[], byte[]> connection) {
        CompletableFuture<?>[] nodes = connection.getPartitions().stream()
                .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
                .map(RedisClusterNode::getUri)
                .map(uri -> connection.getConnectionAsync(uri.getHost(), uri.getPort()))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(nodes).handle((done, failure) -> connection);
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
