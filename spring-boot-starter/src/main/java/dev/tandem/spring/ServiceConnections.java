package dev.tandem.spring;

import dev.tandem.task.UrlText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** Writes connection details of Spring Boot as settings of Tandem. */
final class ServiceConnections {

    private ServiceConnections() {}

    /** @throws StartException if the details have an SSL bundle */
    static Map<String, String> kafka(KafkaConnectionDetails details) {
        refuseBundle("Kafka", "tandem.kafka", details.getSslBundle());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("tandem.kafka.bootstrap-servers", String.join(",", details.getBootstrapServers()));
        String protocol = details.getSecurityProtocol();
        if (protocol != null) {
            settings.put("tandem.kafka.properties[security.protocol]", protocol);
        }
        return settings;
    }

    /** @throws StartException if the details have an SSL bundle */
    static Map<String, String> rabbit(RabbitConnectionDetails details) {
        refuseBundle("RabbitMQ", "tandem.rabbit", details.getSslBundle());
        String user = details.getUsername() == null ? "guest" : details.getUsername();
        String password = details.getPassword() == null ? "guest" : details.getPassword();
        String host = details.getVirtualHost();
        String path = host == null || host.equals("/") ? "" : "/" + UrlText.pathSegment(host);
        return Map.of(
                "tandem.rabbit.uri",
                details.getAddresses().stream()
                        .map(node -> "amqp://" + login(user, password) + host(node.host()) + ":" + node.port() + path)
                        .collect(Collectors.joining(",")));
    }

    /** @throws StartException if the details have an SSL bundle, or name a primary with replicas */
    static Map<String, String> redis(DataRedisConnectionDetails details) {
        refuseBundle("Redis", "tandem.redis", details.getSslBundle());
        String login = login(details.getUsername(), details.getPassword());
        Cluster cluster = details.getCluster();
        Sentinel sentinel = details.getSentinel();
        Standalone standalone = details.getStandalone();
        if (cluster != null) {
            return Map.of(
                    "tandem.redis.cluster",
                    "true",
                    "tandem.redis.uri",
                    cluster.getNodes().stream()
                            .map(node -> "redis://" + login + address(node))
                            .collect(Collectors.joining(",")));
        }
        if (sentinel != null) {
            String nodes = sentinel.getNodes().stream()
                    .map(ServiceConnections::address)
                    .collect(Collectors.joining(","));
            return single("redis-sentinel://" + login + nodes + "/" + sentinel.getDatabase() + "#"
                    + UrlText.queryValue(sentinel.getMaster()));
        }
        if (standalone != null) {
            return single("redis://" + login + host(standalone.getHost()) + ":" + standalone.getPort() + "/"
                    + standalone.getDatabase());
        }
        throw refused("Redis", "tandem.redis", "names replicas, which Tandem finds by Sentinel or in a cluster only");
    }

    /** A cluster in the settings would be looked for at this address otherwise. */
    private static Map<String, String> single(String uri) {
        return Map.of("tandem.redis.cluster", "false", "tandem.redis.uri", uri);
    }

    private static String address(Node node) {
        return host(node.host()) + ":" + node.port();
    }

    /** An IPv6 address needs brackets in a URI. */
    private static String host(String host) {
        return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static String login(@Nullable String user, @Nullable String password) {
        if (password == null) {
            return "";
        }
        return (user == null ? "" : UrlText.queryValue(user)) + ":" + UrlText.queryValue(password) + "@";
    }

    private static void refuseBundle(String service, String settings, @Nullable SslBundle bundle) {
        if (bundle != null) {
            throw refused(service, settings, "has an SSL bundle, which Tandem cannot use");
        }
    }

    private static StartException refused(String service, String settings, String why) {
        return StartException.ofSurroundings("The application's service connection of " + service + " " + why
                + ": set tandem.service-connections to false, and the addresses under " + settings
                + " and its like in the settings");
    }
}
