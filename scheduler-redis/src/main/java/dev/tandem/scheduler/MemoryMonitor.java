package dev.tandem.scheduler;

import dev.tandem.task.store.StoreRoom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the memory of each Redis, and tells its links how much room it has for more tasks. {@link #lookNow} may be called by any thread, the rest by the store's thread.
 */
final class MemoryMonitor {

    /** How often {@link #check} must be called, in milliseconds. */
    static final long CHECK_MILLIS = 200;

    private static final Logger log = LoggerFactory.getLogger(MemoryMonitor.class);

    /** How many checks are left out while there is plenty of room. */
    private static final int RELAXED_CHECKS = 4;

    private final StoreThread thread;
    private final NodeConnections connections;
    private final double headroom;

    private volatile boolean allHaveRoom = true;
    private volatile boolean allHaveSpareRoom = true;

    /** @param headroom the share of the memory that is kept for outcomes */
    MemoryMonitor(StoreThread thread, NodeConnections connections, double headroom) {
        this.thread = thread;
        this.connections = connections;
        this.headroom = headroom;
    }

    /** Asks a Redis at once: it refused hand-overs, or has been given much. */
    void lookNow(RedisNode node) {
        thread.run(() -> ask(node));
    }

    /** Asks each Redis: every time while its memory fills up, otherwise once a second. */
    void check() {
        for (RedisNode node : connections.nodes()) {
            if (node.memoryChecksToSkip-- <= 0) {
                ask(node);
            }
        }
    }

    private void ask(RedisNode node) {
        RedisSession session = node.session;
        if (session == null || node.askedForMemory) {
            return;
        }
        node.askedForMemory = true;
        session.memoryInfo()
                .whenComplete((info, failure) -> thread.run(() -> {
                    node.askedForMemory = false;
                    if (failure == null) {
                        update(node, MemoryUsage.of(info));
                    }
                }));
    }

    /** Returns whether every node has room for more tasks, as far as is known. May be called by any thread. */
    boolean haveAllRoom() {
        return allHaveRoom;
    }

    /** Returns whether every node has room for more than tasks, as far as is known. May be called by any thread. */
    boolean haveAllSpareRoom() {
        return allHaveSpareRoom;
    }

    private void update(RedisNode node, MemoryUsage usage) {
        StoreRoom before = node.room;
        StoreRoom now = usage.room(headroom, before);
        node.mayWrite(usage.writable(headroom, now));
        node.memoryChecksToSkip = usage.isFilling(headroom) ? 0 : RELAXED_CHECKS;
        node.room = now;
        node.hasSpareRoom = usage.hasSpareRoom(headroom);
        allHaveSpareRoom = connections.nodes().stream().allMatch(each -> each.hasSpareRoom);
        allHaveRoom = connections.nodes().stream().allMatch(each -> each.room.isLeft());
        node.memoryProblem = now.isLeft() ? "" : usage.toString();
        if (now.isLeft() != before.isLeft()) {
            if (now.isLeft()) {
                log.info("Redis at {} has room for more tasks again", node);
            } else {
                log.warn("Redis at {}: {}", node, usage);
            }
        }
        if (now != before || !now.isLeft()) {
            node.links.forEach(link -> link.tellRoom(now));
            connections.updateStatus();
        }
    }
}
