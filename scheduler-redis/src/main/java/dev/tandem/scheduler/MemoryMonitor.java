package dev.tandem.scheduler;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes when a Redis has no memory left for hand-overs, and when it has again. {@link #note} may be called by any
 * thread, the rest by the store's thread.
 */
final class MemoryMonitor {

    private static final Logger log = LoggerFactory.getLogger(MemoryMonitor.class);

    private final StoreThread thread;
    private final NodeConnections connections;

    MemoryMonitor(StoreThread thread, NodeConnections connections) {
        this.thread = thread;
        this.connections = connections;
    }

    /** Notes whether memory was full at a hand-over. */
    void note(RedisNode node, boolean full) {
        if (node.memoryFull != full) {
            node.memoryFull = full;
            thread.run(() -> changed(node));
        }
    }

    private void changed(RedisNode node) {
        if (node.memoryFull) {
            check(node);
        } else if (!node.memoryProblem.isEmpty()) {
            log.info("Redis at {} has free memory again", node);
            node.memoryProblem = "";
            connections.updateStatus();
        }
    }

    /** Checks again the nodes whose memory was full, in case no more hand-overs are tried. */
    void check() {
        connections.nodes().forEach(this::check);
    }

    private void check(RedisNode node) {
        RedisSession session = node.session;
        if (session == null || !node.memoryFull) {
            return;
        }
        session.memoryInfo()
                .whenComplete((info, failure) -> thread.run(() -> {
                    if (failure == null && node.memoryFull) {
                        update(node, MemoryUsage.of(info));
                    }
                }));
    }

    private void update(RedisNode node, MemoryUsage usage) {
        if (!usage.isFull()) {
            note(node, false);
            return;
        }
        if (node.memoryProblem.isEmpty()) {
            log.warn("Redis at {}: {}", node, usage);
        }
        node.memoryProblem = usage.toString();
        connections.updateStatus();
    }
}
