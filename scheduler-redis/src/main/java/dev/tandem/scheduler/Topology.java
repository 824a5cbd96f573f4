package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Which Redis has which partition. */
interface Topology {

    static Topology of(RedisSettings settings, ClientResources resources) {
        return settings.cluster() ? new ClusterTopology(settings, resources) : new SingleTopology(settings, resources);
    }

    /** Finds it out anew. */
    CompletableFuture<Void> refresh();

    /** Where a partition is, as far as known; null if it is not. */
    @Nullable
    RedisURI locate(Partition partition);

    /** A connection for channels, which mends itself. */
    CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber();

    /** A connection for everything that is not a link's, which mends itself; keys may be of any partition. */
    CompletableFuture<? extends RedisClusterAsyncCommands<byte[], byte[]>> commands();

    /** Closes all connections. */
    CompletableFuture<Void> end();
}
