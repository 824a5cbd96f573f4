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

    /** Whether its memory was full at the last hand-over. */
    volatile boolean full;

    /** For people, while it is full: how much it has. */
    String memory = "";

    Node(RedisURI uri) {
        this.uri = uri;
    }

    /** Where it is, and what is wrong with it. */
    String detail() {
        return memory.isEmpty() ? toString() : this + ": " + memory;
    }

    @Override
    public String toString() {
        return Connections.name(uri);
    }
}
