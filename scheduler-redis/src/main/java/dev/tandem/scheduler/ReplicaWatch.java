package dev.tandem.scheduler;

/**
 * Notices when a Redis gets more replicas than must confirm. Then its session is made anew, which counts them, or refuses
 * a setting of 0. A horizon passes before a write counts as durable, so looking more often than that suffices. Used by
 * the store's thread only.
 */
final class ReplicaWatch {

    private final StoreThread thread;
    private final NodeConnections connections;
    private final boolean mayMatter;

    ReplicaWatch(StoreThread thread, NodeConnections connections, RedisSettings settings) {
        this.thread = thread;
        this.connections = connections;
        // A number above 0 is the operator's decision.
        this.mayMatter = settings.durable() && settings.replicas().orElse(0) == 0;
    }

    void check() {
        if (mayMatter) {
            connections.nodes().forEach(this::check);
        }
    }

    private void check(RedisNode node) {
        RedisSession session = node.session;
        if (session == null) {
            return;
        }
        session.replicationInfo()
                .whenComplete((info, failure) -> thread.run(() -> {
                    int seen = failure == null ? Replication.of(info).replicas() : 0;
                    if (seen > session.replicas()) {
                        connections.disconnected(session, "it has " + seen + " replicas now");
                    }
                }));
    }
}
