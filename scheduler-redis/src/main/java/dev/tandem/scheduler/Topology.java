package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Which Redis has which partition. */
interface Topology extends AutoCloseable {

    static Topology of(RedisSettings settings) {
        return settings.cluster() ? new ClusterTopology(settings) : new SingleTopology(settings);
    }

    /** Finds it out anew. */
    CompletableFuture<Void> refresh();

    /** Where a partition is, as far as known; null if it is not. */
    @Nullable
    RedisURI locate(Partition partition);

    /** A connection for channels, which mends itself. */
    CompletableFuture<? extends StatefulRedisPubSubConnection<String, String>> subscriber();

    @Override
    void close();
}
