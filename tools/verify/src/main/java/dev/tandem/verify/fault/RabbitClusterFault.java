package dev.tandem.verify.fault;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Disturbs a RabbitMQ cluster of three nodes. Executors and publishers are connected to its first node. */
record RabbitClusterFault(Kind kind) implements BrokerFault {

    enum Kind {
        NODE_DISCONNECT("node-disconnect", "the nodes of a RabbitMQ cluster lose contact, several times"),
        LEADER_MOVE("leader-move", "the leaders of all quorum queues move to other nodes, several times"),
        NODE_RESTART("node-restart", "a node of a RabbitMQ cluster is killed and started again");

        private final String label;
        private final String text;

        Kind(String label, String text) {
            this.label = label;
            this.text = text;
        }
    }

    private static final int TIMES = 4;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    @Override
    public String name() {
        return kind.label;
    }

    @Override
    public String description() {
        return kind.text;
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.RABBIT_CLUSTER);
    }

    @Override
    public boolean rabbit() {
        return true;
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        LocalRabbitCluster cluster = context.rabbitCluster();
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(at, Server.BROKER));
        switch (kind) {
            case NODE_DISCONNECT -> disconnect(context, cluster);
            case LEADER_MOVE -> moveLeaders(context, cluster);
            case NODE_RESTART -> restart(cluster, anyNode(context, cluster));
        }
        long end = System.nanoTime();
        context.record(new Event.ServerUp(end, Server.BROKER));
        context.record(new Event.FaultEnded(end, name(), context.round(), -1));
        context.sleep(context.lease());
    }

    /**
     * Cuts the node of the clients off from the leaders, and lets it find them again. Afterwards the node is restarted:
     * RabbitMQ's metadata stay divided, and queues of later trials would be declared on one side only.
     */
    private static void disconnect(FaultContext context, LocalRabbitCluster cluster) throws InterruptedException {
        LocalAmqp near = cluster.nodes().get(0);
        cluster.moveLeaders(cluster.nodes().get(1));
        cluster.disconnect(near, TIMES, PAUSE);
        context.sleep(context.lease());
        restart(cluster, near);
    }

    private static void moveLeaders(FaultContext context, LocalRabbitCluster cluster) throws InterruptedException {
        for (int i = 0; i < TIMES; i++) {
            cluster.moveLeaders(cluster.nodes().get((i + 1) % cluster.nodes().size()));
            context.sleep(PAUSE);
        }
    }

    private static void restart(LocalRabbitCluster cluster, LocalAmqp node) {
        node.kill();
        node.start();
        cluster.awaitReady();
    }

    private static LocalAmqp anyNode(FaultContext context, LocalRabbitCluster cluster) {
        return cluster.nodes().get(context.random().nextInt(cluster.nodes().size()));
    }
}
