package dev.tandem.scheduler;

import io.lettuce.core.RedisURI;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One Redis and the links that use it. Belongs to the store's loop. */
final class Node {

    final RedisURI uri;
    final Set<RedisLink> links = new LinkedHashSet<>();

    /** Null while there is no connection. */
    @Nullable
    Session session;

    boolean connecting;

    Node(RedisURI uri) {
        this.uri = uri;
    }

    @Override
    public String toString() {
        return Connections.name(uri);
    }
}
