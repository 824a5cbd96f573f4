package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The place of a RabbitMQ process in a cluster.
 *
 * @param portMapperPort where Erlang's name service listens, which all nodes of the cluster share
 * @param cookie the secret by which nodes recognise one another
 * @param joins the name of the node whose cluster it joins at its first start; empty for the first node
 */
record RabbitMember(int portMapperPort, String cookie, Optional<String> joins) {

    /** Returns the settings with which the node joins at its first start. */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        joins.ifPresent(node -> {
            settings.put("cluster_formation.peer_discovery_backend", "classic_config");
            settings.put("cluster_formation.classic_config.nodes.1", node);
            settings.put("cluster_formation.randomized_startup_delay_range.min", "0");
            settings.put("cluster_formation.randomized_startup_delay_range.max", "1");
        });
        return settings;
    }

    /** Writes the cookie to the home folder of a node, where Erlang looks for it. */
    void writeCookie(Path home) {
        Path file = home.resolve(".erlang.cookie");
        try {
            Files.deleteIfExists(file);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, cookie);
            // Erlang refuses a cookie that others, or its owner by mistake, may change.
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        } catch (IOException e) {
            throw new LocalException("The cookie of a cluster's node cannot be written to " + file + ": " + e, e);
        }
    }
}
