package dev.tandem.scheduler;

import dev.tandem.task.store.StoreRoom;
import io.lettuce.core.RedisURI;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One Redis, and the links whose partitions it has. Used by the store's thread only, except for {@link #wrote} and the links that read {@link
 * #room}.
 */
final class RedisNode {

    final RedisURI uri;
    final Set<RedisLink> links = new LinkedHashSet<>();

    /** Null while there is no connection. */
    @Nullable
    RedisSession session;

    boolean connecting;

    /** How much room its memory has for more tasks, as far as is known. */
    volatile StoreRoom room = StoreRoom.HALF;

    /** Whether its memory has room for what is not needed to run tasks, as far as is known. */
    boolean hasSpareRoom = true;

    boolean askedForMemory;
    int memoryChecksToSkip;
    /** How much may be written before its memory must be looked at again. */
    private final AtomicLong writable = new AtomicLong(Long.MAX_VALUE);

    /** When it was asked whether it is fit, by {@link System#nanoTime}; null if no answer is awaited. */
    @Nullable
    Long fitnessAskedAt;

    /** A description of missing replicas; empty if none is missing. */
    String replicaProblem = "";

    /** A description of the memory while it has no room; otherwise empty. */
    String memoryProblem = "";

    RedisNode(RedisURI uri) {
        this.uri = uri;
    }

    /** Allows so many bytes to be written before its memory must be looked at again. */
    void mayWrite(long bytes) {
        writable.set(bytes);
    }

    /**
     * Notes that something was written. May be called by any thread.
     *
     * @return whether its memory must be looked at now; true once
     */
    boolean wrote(long bytes) {
        long after = writable.addAndGet(-bytes);
        return after <= 0 && after + bytes > 0;
    }

    /** Returns the address, and what is wrong with this Redis. */
    String detail() {
        return Stream.of(toString(), replicaProblem, memoryProblem)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining(": "));
    }

    @Override
    public String toString() {
        return ConnectionOptions.name(uri);
    }
}
