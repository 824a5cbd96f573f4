package dev.tandem.local;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis with two replicas and three Sentinels, which promote a replica when the primary is lost. Every node can be
 * killed and started again on its own. Thread-safe.
 */
public final class LocalRedisSentinel implements AutoCloseable {

    private static final String NAME = "tandem";
    private static final int NODES = 3;
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<LocalRedis> nodes = new ArrayList<>();
    private final List<LocalProcess> sentinels = new ArrayList<>();
    private final List<Integer> sentinelPorts = new ArrayList<>();

    private LocalRedisSentinel(LocalMode mode) {
        try {
            startNodes(mode.withoutDocker());
            startSentinels(RedisProgram.find(mode.withoutDocker()));
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Starts all nodes and Sentinels, and waits until they know one another and the replicas are in step. */
    public static LocalRedisSentinel start() {
        return new LocalRedisSentinel(LocalMode.configured());
    }

    private void startNodes(LocalMode mode) {
        for (int i = 0; i < NODES; i++) {
            LocalRedis.Builder builder = LocalRedis.builder()
                    .mode(mode)
                    .setting("repl-diskless-sync", "yes")
                    .setting("repl-diskless-sync-delay", "0");
            if (i > 0) {
                builder.setting("replicaof", "127.0.0.1 " + nodes.get(0).port());
            }
            nodes.add(builder.start());
        }
    }

    private void startSentinels(RedisProgram program) {
        for (int i = 0; i < SENTINELS; i++) {
            BrokerLocation location = BrokerLocation.create("sentinel", 0, null);
            String settings = String.join(
                    "\n",
                    "bind 127.0.0.1",
                    "port " + location.port(),
                    "dir \"" + location.data() + "\"",
                    "sentinel monitor " + NAME + " 127.0.0.1 " + nodes.get(0).port() + " " + QUORUM,
                    "sentinel down-after-milliseconds " + NAME + " 1000",
                    "sentinel failover-timeout " + NAME + " 5000",
                    "sentinel parallel-syncs " + NAME + " 2",
                    "");
            List<String> command = List.of(
                    program.file().toString(),
                    location.write("sentinel.conf", settings).toString(),
                    "--sentinel");
            LocalProcess sentinel = location.build(LocalProcess.program("sentinel-" + location.port(), command));
            sentinels.add(sentinel);
            sentinelPorts.add(location.port());
            sentinel.startAndAwait(LIMIT, () -> RedisNode.answers(location.port()));
        }
    }

    /** Waits until the running Sentinels agree on a running primary, and the running replicas are in step with it. */
    public void awaitReady() {
        Waiting.untilNodes(LIMIT, "The Sentinels did not agree, or the replicas were not in step", () -> {
            LocalRedis primary = primary();
            return IntStream.range(0, SENTINELS)
                            .filter(i -> sentinels.get(i).isRunning())
                            .allMatch(i -> knowsAll(sentinelPorts.get(i), primary.port()))
                    && nodes.stream()
                            .filter(node -> node != primary && node.isRunning())
                            .allMatch(node -> follows(node, primary));
        });
    }

    private static boolean knowsAll(int sentinel, int primary) {
        Map<String, String> fields = RedisNode.askSentinel(sentinel, commands -> commands.master(NAME));
        return "master".equals(fields.get("flags"))
                && Integer.toString(primary).equals(fields.get("port"))
                && Integer.toString(NODES - 1).equals(fields.get("num-slaves"))
                && Integer.toString(SENTINELS - 1).equals(fields.get("num-other-sentinels"));
    }

    private static boolean follows(LocalRedis node, LocalRedis primary) {
        List<String> lines = RedisNode.ask(node.port(), commands -> commands.info("replication"))
                .lines()
                .toList();
        return lines.contains("master_port:" + primary.port()) && lines.contains("master_link_status:up");
    }

    /** Returns the data nodes in the order in which they were made. The first began as the primary. */
    public List<LocalRedis> nodes() {
        return List.copyOf(nodes);
    }

    public List<LocalProcess> sentinels() {
        return List.copyOf(sentinels);
    }

    /**
     * Returns the node that the Sentinels name as the primary.
     *
     * @throws LocalException when that node does not run, which the Sentinels have not noticed yet
     */
    public LocalRedis primary() {
        int asked = IntStream.range(0, SENTINELS)
                .filter(i -> sentinels.get(i).isRunning())
                .findFirst()
                .orElseThrow(() -> new LocalException("No Sentinel is running."));
        SocketAddress address =
                RedisNode.askSentinel(sentinelPorts.get(asked), commands -> commands.getMasterAddrByName(NAME));
        return nodes.stream()
                .filter(node -> node.isRunning()
                        && address instanceof InetSocketAddress named
                        && named.getPort() == node.port())
                .findFirst()
                .orElseThrow(() -> new LocalException("The Sentinels name " + address + ", which is not running."));
    }

    /** {@code redis-sentinel://127.0.0.1:<port>,…/0#tandem}, as Lettuce and Tandem's settings take it. */
    public String address() {
        return sentinelPorts.stream()
                .map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + NAME));
    }

    @Override
    public void close() {
        sentinels.forEach(LocalProcess::close);
        nodes.forEach(LocalRedis::close);
    }

    @Override
    public String toString() {
        return "Redis with Sentinel at " + address();
    }
}
