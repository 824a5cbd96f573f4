package dev.tandem.local;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis Cluster on this machine: three primaries with a third of the slots each, and a replica of each or none. Every node
 * is a {@link LocalRedis} that can be killed and started again on its own. Thread-safe.
 */
public final class LocalRedisCluster implements AutoCloseable {

    private static final int PRIMARIES = 3;
    private static final int SLOTS = 16_384;
    private static final Duration FORM_LIMIT = Duration.ofSeconds(60);
    private static final String NODE_TIMEOUT_MILLIS = "2000";
    /** Without replicas nobody takes over. A node of a busy machine must not be taken for dead then. */
    private static final String NODE_TIMEOUT_MILLIS_ALONE = "60000";

    private final List<LocalRedis> nodes;
    private final int replicas;

    private LocalRedisCluster(LocalMode mode, int replicas) {
        this.replicas = replicas;
        List<LocalRedis> started = new ArrayList<>();
        try {
            for (int i = 0; i < PRIMARIES + replicas; i++) {
                started.add(LocalRedis.builder()
                        .mode(mode.withoutDocker()) // nodes tell clients their own ports
                        .setting("cluster-enabled", "yes")
                        .setting(
                                "cluster-node-timeout", replicas == 0 ? NODE_TIMEOUT_MILLIS_ALONE : NODE_TIMEOUT_MILLIS)
                        .setting("repl-diskless-sync", "yes")
                        .setting("repl-diskless-sync-delay", "0")
                        .start());
            }
            nodes = List.copyOf(started);
            form();
        } catch (RuntimeException e) {
            started.forEach(LocalRedis::close);
            throw e;
        }
    }

    /** Starts six nodes and waits until they form a cluster that accepts writes, with replicas in step. */
    public static LocalRedisCluster start() {
        return start(LocalMode.configured());
    }

    /** Starts a cluster of programs that this mode allows. */
    public static LocalRedisCluster start(LocalMode mode) {
        return new LocalRedisCluster(mode, PRIMARIES);
    }

    /** Starts three primaries without replicas, for tests in which no node fails. */
    public static LocalRedisCluster startWithoutReplicas() {
        return new LocalRedisCluster(LocalMode.configured(), 0);
    }

    // As "redis-cli --cluster create" does. The embedded Redis has no redis-cli.
    private void form() {
        for (int i = 0; i < nodes.size(); i++) {
            long epoch = i + 1;
            ask(i, commands -> commands.clusterSetConfigEpoch(epoch));
        }
        for (int i = 0; i < PRIMARIES; i++) {
            int[] slots = IntStream.range(SLOTS * i / PRIMARIES, SLOTS * (i + 1) / PRIMARIES)
                    .toArray();
            ask(i, commands -> commands.clusterAddSlots(slots));
        }
        for (int i = 1; i < nodes.size(); i++) {
            int port = nodes.get(i).port();
            ask(0, commands -> commands.clusterMeet("127.0.0.1", port));
        }
        await(
                "Not every node knew all others",
                () -> everyNode(node -> hasClusterInfo(node, "cluster_known_nodes:" + nodes.size())));
        for (int i = 0; i < replicas; i++) {
            String id = ask(i, RedisCommands::clusterMyId);
            int replica = PRIMARIES + i;
            await(
                    "Node " + replica + " did not know its primary",
                    () -> clusterNodes(replica).getPartitionByNodeId(id) != null);
            ask(replica, commands -> commands.clusterReplicate(id));
        }
        awaitReady();
    }

    /** Waits until all nodes that run agree that every slot is served, and every replica among them is in step. */
    public void awaitReady() {
        await(
                "The cluster was not ready",
                () -> everyNode(node -> !nodes.get(node).isRunning() || isReady(node)));
        if (nodes.stream().allMatch(LocalRedis::isRunning)) {
            await(
                    "Not every node saw all replicas",
                    () -> everyNode(node -> clusterNodes(node).stream()
                                    .filter(each -> each.is(NodeFlag.REPLICA) && !isFailing(each))
                                    .count()
                            == replicas));
        }
    }

    private boolean isReady(int node) {
        return hasClusterInfo(node, "cluster_state:ok")
                && clusterNodes(node).stream().noneMatch(each -> each.is(NodeFlag.HANDSHAKE))
                && (isPrimary(node) || hasReplicationInfo(node, "master_link_status:up"));
    }

    private static boolean isFailing(RedisClusterNode node) {
        return node.is(NodeFlag.FAIL) || node.is(NodeFlag.EVENTUAL_FAIL);
    }

    /** Returns all nodes in the order in which they were made: first those that began as primaries. */
    public List<LocalRedis> nodes() {
        return nodes;
    }

    /** Returns the nodes that run and are primaries now. */
    public List<LocalRedis> primaries() {
        return IntStream.range(0, nodes.size())
                .filter(node -> nodes.get(node).isRunning() && isPrimary(node))
                .mapToObj(nodes::get)
                .toList();
    }

    /**
     * Returns the primary that serves a slot now.
     *
     * @throws LocalException if none does
     */
    public LocalRedis primaryOf(int slot) {
        return primaries().stream()
                .filter(primary -> clusterNodes(nodes.indexOf(primary)).stream()
                        .anyMatch(node -> node.is(NodeFlag.MYSELF) && node.hasSlot(slot)))
                .findFirst()
                .orElseThrow(() -> new LocalException("No running node serves slot " + slot + "."));
    }

    /** {@code redis://127.0.0.1:<port>}, of every node, separated by commas. */
    public String address() {
        return nodes.stream().map(LocalRedis::address).collect(Collectors.joining(","));
    }

    private boolean isPrimary(int node) {
        return hasReplicationInfo(node, "role:master");
    }

    private boolean hasReplicationInfo(int node, String line) {
        return ask(node, commands -> commands.info("replication")).lines().anyMatch(line::equals);
    }

    private boolean hasClusterInfo(int node, String line) {
        return ask(node, RedisCommands::clusterInfo).lines().anyMatch(line::equals);
    }

    /** Returns the cluster as this node sees it. */
    private Partitions clusterNodes(int node) {
        String lines = ask(node, RedisCommands::clusterNodes);
        return ClusterPartitionParser.parse(lines);
    }

    private boolean everyNode(IntPredicate check) {
        return IntStream.range(0, nodes.size()).allMatch(check);
    }

    private <T> T ask(int node, Function<RedisCommands<String, String>, T> question) {
        return RedisNode.ask(nodes.get(node).port(), question);
    }

    private static void await(String problem, Callable<Boolean> condition) {
        Waiting.untilNodes(FORM_LIMIT, problem, condition);
    }

    @Override
    public void close() {
        nodes.forEach(LocalRedis::close);
    }

    @Override
    public String toString() {
        return "Redis Cluster of " + nodes.get(0) + " and " + (nodes.size() - 1) + " more";
    }
}
