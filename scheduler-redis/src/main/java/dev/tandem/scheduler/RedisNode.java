package dev.tandem.scheduler;

import io.lettuce.core.RedisURI;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One Redis, and the links whose partitions it has. Used by the store's thread only, except for {@link #memoryFull}. */
final class RedisNode {

    final RedisURI uri;
    final Set<RedisLink> links = new LinkedHashSet<>();

    /** Null while there is no connection. */
    @Nullable
    RedisSession session;

    boolean connecting;

    /** Whether memory was full at the last hand-over. */
    volatile boolean memoryFull;

    /** A description of the memory while it is full; otherwise empty. */
    String memoryProblem = "";

    RedisNode(RedisURI uri) {
        this.uri = uri;
    }

    /** Returns the address, and what is wrong with this Redis. */
    String detail() {
        return memoryProblem.isEmpty() ? toString() : this + ": " + memoryProblem;
    }

    @Override
    public String toString() {
        return ConnectionOptions.name(uri);
    }
}
