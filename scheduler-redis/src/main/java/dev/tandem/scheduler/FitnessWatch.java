package dev.tandem.scheduler;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each Redis again and again whether it is fit, because its settings and its role can be changed while it is used. A
 * session with a Redis that is unfit is given up, and made anew once it is fit. The same happens when it has more replicas
 * than must confirm, so that they are counted. Replicas that are missing are only reported: what has to wait for them
 * waits. Used by the store's thread only.
 */
final class FitnessWatch {

    /** Shorter than a horizon, after which a write counts as durable although a new replica may not have it. */
    static final long CHECK_MILLIS = 1_000;

    private static final Logger log = LoggerFactory.getLogger(FitnessWatch.class);

    private final StoreThread thread;
    private final NodeConnections connections;
    private final RedisFitness fitness;
    private final RedisKeys keys;
    private final long answerMillis;
    private final boolean countsReplicas;

    FitnessWatch(StoreThread thread, NodeConnections connections, RedisFitness fitness, RedisSettings settings) {
        this.thread = thread;
        this.connections = connections;
        this.fitness = fitness;
        this.keys = new RedisKeys(settings.namespace());
        this.answerMillis = settings.answerTimeout().toMillis();
        // A number above 0 is the operator's decision.
        this.countsReplicas = settings.durable() && settings.replicas().orElse(0) == 0;
    }

    void check() {
        connections.nodes().forEach(this::check);
    }

    private void check(RedisNode node) {
        RedisSession session = node.session;
        if (session == null) {
            return;
        }
        if (node.fitnessAskedAt != null) {
            if (System.nanoTime() - node.fitnessAskedAt > TimeUnit.MILLISECONDS.toNanos(answerMillis)) {
                connections.disconnected(session, "no answer for " + answerMillis + " ms");
            }
            return;
        }
        node.fitnessAskedAt = System.nanoTime();
        session.askFitness(fitness, keys)
                .whenComplete((answer, failure) -> thread.run(() -> {
                    node.fitnessAskedAt = null;
                    // A connection that broke is noticed elsewhere.
                    if (failure == null && node.session == session) {
                        answered(session, answer);
                    }
                }));
    }

    private void answered(RedisSession session, RedisFitness.Answer answer) {
        int replicas = Replication.of(answer.info()).replicas();
        if (!answer.isFit()) {
            connections.unfit(session, answer.describe());
        } else if (countsReplicas && replicas > session.replicas()) {
            connections.disconnected(session, "it has " + replicas + " replicas now");
        } else {
            noteMissing(session.node(), session.replicas() - replicas, session.replicas());
        }
    }

    private void noteMissing(RedisNode node, int missing, int required) {
        String before = node.replicaProblem;
        node.replicaProblem = missing <= 0
                ? ""
                : missing + " of the " + required
                        + " replicas that must confirm are not connected to it. Until they are, nothing counts as durable,"
                        + " and no broker message that Redis took custody of is acknowledged";
        if (node.replicaProblem.equals(before)) {
            return;
        }
        if (missing > 0) {
            log.warn("Redis at {}: {}", node, node.replicaProblem);
        } else {
            log.info("Redis at {}: all replicas that must confirm are connected to it again", node);
        }
        connections.updateStatus();
    }
}
