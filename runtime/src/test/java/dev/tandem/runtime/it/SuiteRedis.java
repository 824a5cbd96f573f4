package dev.tandem.runtime.it;

import dev.tandem.runtime.TandemBuilder;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The Redis of a suite. With Kafka it is a Redis Cluster and with RabbitMQ a single one, so that each suite runs on both.
 *
 * @param uri of several nodes, separated by commas, if it is a cluster
 */
public record SuiteRedis(String uri, boolean isCluster) {

    /** Returns the Redis that goes with a source, {@code kafka} or {@code rabbit}. */
    public static SuiteRedis of(String source) {
        return source.equals("kafka")
                ? new SuiteRedis(Brokers.redisCluster().address(), true)
                : new SuiteRedis(Brokers.redis().uri(), false);
    }

    RedisSettings settings() {
        return isCluster ? RedisSettings.cluster(List.of(uri.split(","))) : RedisSettings.of(uri);
    }

    public RedisStore open() {
        return RedisStore.open(settings());
    }

    /** Returns two lines of YAML. */
    String yaml() {
        return "tandem.redis.uri: \"" + uri + "\"\ntandem.redis.cluster: " + isCluster;
    }

    /** Writes as no program does. */
    void write(Consumer<RedisClusterCommands<byte[], byte[]>> writes) {
        if (isCluster) {
            try (RedisClusterClient client = RedisClusterClient.create(
                            Stream.of(uri.split(",")).map(RedisURI::create).toList());
                    var connection = client.connect(ByteArrayCodec.INSTANCE)) {
                writes.accept(connection.sync());
            }
        } else {
            try (var connection = Brokers.redis().client().connect(ByteArrayCodec.INSTANCE)) {
                writes.accept(connection.sync());
            }
        }
    }

    public TandemBuilder addTo(TandemBuilder builder) {
        return builder.setting("tandem.redis.uri", uri).setting("tandem.redis.cluster", Boolean.toString(isCluster));
    }
}
