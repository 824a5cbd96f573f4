package dev.tandem.scheduler;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;

/** Options of connections, and addresses. */
final class ConnectionOptions {

    private ConnectionOptions() {}

    /**
     * Reads an address of the settings. Connecting to it may take as long as an answer may.
     *
     * @throws IllegalArgumentException if it cannot be read
     */
    static RedisURI uri(RedisSettings settings, String address) {
        RedisURI uri;
        try {
            uri = RedisURI.create(address);
        } catch (RuntimeException e) {
            // Without the cause, because that contains the address with its password.
            throw new IllegalArgumentException(
                    "tandem.redis.uri has the address '" + address.replaceAll("//.*@", "//***@")
                            + "', which cannot be read: use redis://host:port, rediss://host:port or"
                            + " redis-sentinel://host:port,host:port/#master");
        }
        uri.setTimeout(settings.answerTimeout());
        settings.access().apply(uri);
        return uri;
    }

    /** For requests: a broken connection stays broken, so that no request is sent a second time. */
    static ClientOptions requesting(RedisSettings settings) {
        return common(ClientOptions.builder(), settings)
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    /** For channels: the connection reconnects and subscribes again. */
    static ClientOptions subscribing(RedisSettings settings) {
        return common(ClientOptions.builder(), settings).autoReconnect(true).build();
    }

    /** For operators: the connection reconnects. While it is not connected it refuses commands, rather than delay them. */
    static ClientOptions commanding(RedisSettings settings) {
        return refusing(common(ClientOptions.builder(), settings)).build();
    }

    static ClusterClientOptions clusterSubscribing(RedisSettings settings) {
        ClusterClientOptions.Builder builder = cluster(settings);
        return builder.autoReconnect(true).build();
    }

    static ClusterClientOptions clusterCommanding(RedisSettings settings) {
        ClusterClientOptions.Builder builder = cluster(settings);
        refusing(builder);
        return builder.build();
    }

    /** Returns an address as people are shown it, without credentials. */
    static String name(RedisURI uri) {
        if (uri.getSentinelMasterId() != null) {
            return "sentinel master '" + uri.getSentinelMasterId() + "'";
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }

    private static ClusterClientOptions.Builder cluster(RedisSettings settings) {
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
        common(builder, settings);
        return builder.validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .build());
    }

    private static ClientOptions.Builder refusing(ClientOptions.Builder builder) {
        return builder.autoReconnect(true).disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    }

    private static ClientOptions.Builder common(ClientOptions.Builder builder, RedisSettings settings) {
        return builder.protocolVersion(ProtocolVersion.RESP2)
                .sslOptions(settings.access().ssl())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(2))
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build());
    }
}
