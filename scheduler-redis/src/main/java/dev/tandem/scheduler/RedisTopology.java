package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Knows which Redis node has which partition, and makes connections that may serve any partition. */
interface RedisTopology {

    static RedisTopology of(RedisSettings settings, ClientResources resources) {
        return settings.cluster() ? new ClusterTopology(settings, resources) : new SingleTopology(settings, resources);
    }

    /** Looks up the nodes again. */
    CompletableFuture<Void> refresh();

    /**
     * A node that may have partitions.
     *
     * @param probe a key that lies on it, for a write that changes nothing; null if none was found
     */
    record Part(RedisURI address, byte @Nullable [] probe) {}

    /** Looks up the nodes that may have partitions, if those are on several nodes; otherwise returns none. */
    CompletableFuture<List<Part>> parts();

    /** Returns the node that has a partition; null if it is not known. */
    @Nullable
    RedisURI locate(Partition partition);

    /** Makes a connection for channels, which reconnects by itself. */
    CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber();

    /** Makes a connection for commands on keys of any partition, which reconnects by itself. */
    CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> commands();

    /** Runs an action whenever a connection for commands is made, also when it is made again by itself. It must not block. */
    void onConnected(Runnable action);

    /** Returns a listener that runs an action whenever a connection is made. */
    static RedisConnectionStateListener connected(Runnable action) {
        return new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
                action.run();
            }
        };
    }

    /** Closes all connections. */
    CompletableFuture<Void> close();
}
