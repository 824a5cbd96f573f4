package dev.tandem.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis Cluster on this machine: three primaries with a third of the slots each, and a replica of each. Every node is
 * a {@link LocalRedis} that can be killed and started again by itself. Thread-safe.
 */
public final class LocalRedisCluster implements AutoCloseable {

    private static final int PRIMARIES = 3;
    private static final int NODES = 2 * PRIMARIES;
    private static final int SLOTS = 16_384;
    private static final Duration FORM_LIMIT = Duration.ofSeconds(60);
    private static final String NODE_TIMEOUT_MILLIS = "2000";

    private final List<LocalRedis> nodes;

    private LocalRedisCluster(LocalMode mode) {
        List<LocalRedis> started = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
                started.add(LocalRedis.builder()
                        .mode(mode.withoutDocker()) // nodes tell clients their own ports
                        .setting("cluster-enabled", "yes")
                        .setting("cluster-node-timeout", NODE_TIMEOUT_MILLIS)
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

    /** Starts six nodes and waits until they are one cluster that takes writes, replicas in step. */
    public static LocalRedisCluster start() {
        return start(LocalMode.configured());
    }

    /** The same with the programs that this mode allows. */
    public static LocalRedisCluster start(LocalMode mode) {
        return new LocalRedisCluster(mode);
    }

    // What "redis-cli --cluster create" does; the embedded Redis comes without redis-cli.
    private void form() {
        for (int i = 0; i < NODES; i++) {
            ask(i, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        }
        for (int i = 0; i < PRIMARIES; i++) {
            List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            IntStream.range(SLOTS * i / PRIMARIES, SLOTS * (i + 1) / PRIMARIES)
                    .forEach(slot -> command.add(Integer.toString(slot)));
            ask(i, command.toArray(String[]::new));
        }
        for (int i = 1; i < NODES; i++) {
            ask(0, "CLUSTER", "MEET", "127.0.0.1", Integer.toString(nodes.get(i).port()));
        }
        await("every node to know the others", () -> everyNode(node -> info(node, "cluster_known_nodes", NODES)));
        for (int i = 0; i < PRIMARIES; i++) {
            String id = ask(i, "CLUSTER", "MYID");
            int replica = PRIMARIES + i;
            await(
                    "node " + replica + " to hear of its primary",
                    () -> lines(replica, "CLUSTER", "NODES").anyMatch(line -> line.startsWith(id)));
            ask(replica, "CLUSTER", "REPLICATE", id);
        }
        awaitReady();
    }

    /** Waits until all nodes that run agree that every slot is served, and every replica among them is in step. */
    public void awaitReady() {
        await(
                "the cluster to be ready",
                () -> everyNode(node -> !nodes.get(node).isRunning() || isReady(node)));
        if (nodes.stream().allMatch(LocalRedis::isRunning)) {
            await(
                    "every node to see all replicas",
                    () -> everyNode(node -> lines(node, "CLUSTER", "NODES")
                                    .filter(line -> line.contains("slave") && !line.contains("fail"))
                                    .count()
                            == PRIMARIES));
        }
    }

    private boolean isReady(int node) {
        return info(node, "cluster_state", "ok")
                && lines(node, "CLUSTER", "NODES").noneMatch(line -> line.contains("handshake"))
                && (isPrimary(node) || lines(node, "INFO", "replication").anyMatch("master_link_status:up"::equals));
    }

    /** All nodes, in the order they were made: first those that began as primaries. */
    public List<LocalRedis> nodes() {
        return nodes;
    }

    /** Those that are primaries now and run. */
    public List<LocalRedis> primaries() {
        return IntStream.range(0, NODES)
                .filter(node -> nodes.get(node).isRunning() && isPrimary(node))
                .mapToObj(nodes::get)
                .toList();
    }

    /** The primary that serves a slot now. */
    public LocalRedis primaryOf(int slot) {
        return primaries().stream()
                .filter(node -> lines(nodes.indexOf(node), "CLUSTER", "NODES")
                        .filter(line -> line.contains("myself"))
                        .anyMatch(line -> serves(line, slot)))
                .findFirst()
                .orElseThrow(() -> new LocalException("No running node serves slot " + slot + "."));
    }

    // "<id> <address> myself,master - 0 0 1 connected 0-5460 5462 ..."
    private static boolean serves(String line, int slot) {
        String[] fields = line.split(" ", -1);
        for (int i = 8; i < fields.length; i++) {
            if (fields[i].startsWith("[")) {
                continue; // a slot on the move
            }
            String[] range = fields[i].split("-", -1);
            if (Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1])) {
                return true;
            }
        }
        return false;
    }

    /** {@code redis://127.0.0.1:<port>}, of every node, separated by commas. */
    public String address() {
        return nodes.stream().map(LocalRedis::address).collect(Collectors.joining(","));
    }

    private boolean isPrimary(int node) {
        return lines(node, "INFO", "replication").anyMatch("role:master"::equals);
    }

    private boolean info(int node, String field, Object value) {
        return lines(node, "CLUSTER", "INFO").anyMatch((field + ":" + value)::equals);
    }

    private static boolean everyNode(IntPredicate check) {
        return IntStream.range(0, NODES).allMatch(check);
    }

    private Stream<String> lines(int node, String... command) {
        return ask(node, command).lines();
    }

    private String ask(int node, String... command) {
        return Resp.ask(nodes.get(node).port(), command);
    }

    private static void await(String what, BooleanSupplier condition) {
        Patience.await(what, FORM_LIMIT, condition);
    }

    @Override
    public void close() {
        nodes.forEach(LocalRedis::close);
    }

    @Override
    public String toString() {
        return "Redis Cluster of " + nodes.get(0) + " and " + (NODES - 1) + " more";
    }
}
