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

/** How connections are made. */
final class Connections {

    private Connections() {}

    /**
     * An address of the settings; making a connection may take as long as an answer.
     *
     * @throws IllegalArgumentException if it can't be read
     */
    static RedisURI uri(RedisSettings settings, String address) {
        RedisURI uri;
        try {
            uri = RedisURI.create(address);
        } catch (RuntimeException e) {
            // Without the cause, which names the address with its password.
            throw new IllegalArgumentException(
                    "tandem.redis.uri has the address '" + address.replaceAll("//.*@", "//***@")
                            + "', which can't be read: use redis://host:port, rediss://host:port or"
                            + " redis-sentinel://host:port,host:port/#master");
        }
        uri.setTimeout(settings.answerTimeout());
        return uri;
    }

    /** For requests: a connection that broke stays broken, so that nothing is ever sent again by itself. */
    static ClientOptions breaking() {
        return common(ClientOptions.builder())
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    /** For channels: it reconnects and subscribes again. */
    static ClientOptions subscribing() {
        return common(ClientOptions.builder()).autoReconnect(true).build();
    }

    /** For operators: it reconnects, and refuses while it is not connected rather than doing things later. */
    static ClientOptions commanding() {
        return refusing(common(ClientOptions.builder())).build();
    }

    static ClusterClientOptions clusterSubscribing() {
        ClusterClientOptions.Builder builder = cluster();
        return builder.autoReconnect(true).build();
    }

    static ClusterClientOptions clusterCommanding() {
        ClusterClientOptions.Builder builder = cluster();
        refusing(builder);
        return builder.build();
    }

    /** An address for people, without credentials. */
    static String name(RedisURI uri) {
        if (uri.getSentinelMasterId() != null) {
            return "sentinel master '" + uri.getSentinelMasterId() + "'";
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }

    private static ClusterClientOptions.Builder cluster() {
        ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
        common(builder);
        return builder.validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .build());
    }

    private static ClientOptions.Builder refusing(ClientOptions.Builder builder) {
        return builder.autoReconnect(true).disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    }

    private static ClientOptions.Builder common(ClientOptions.Builder builder) {
        return builder.protocolVersion(ProtocolVersion.RESP2)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(2))
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build());
    }
}
