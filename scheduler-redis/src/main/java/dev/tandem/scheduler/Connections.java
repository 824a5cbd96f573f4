package dev.tandem.scheduler;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;

/** How connections are made. */
final class Connections {

    private Connections() {}

    /** For requests: a connection that broke stays broken, so that nothing is ever sent again by itself. */
    static ClientOptions breaking() {
        return common(ClientOptions.builder())
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    /** For channels and for looking things up: it reconnects and subscribes again. */
    static ClientOptions mending() {
        return common(ClientOptions.builder()).autoReconnect(true).build();
    }

    static ClusterClientOptions mending(ClusterClientOptions.Builder builder) {
        common(builder);
        return builder.autoReconnect(true).validateClusterNodeMembership(false).build();
    }

    /** An address for people, without credentials. */
    static String name(RedisURI uri) {
        if (uri.getSentinelMasterId() != null) {
            return "sentinel master '" + uri.getSentinelMasterId() + "'";
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
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
