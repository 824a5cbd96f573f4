package dev.tandem.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis with two replicas, watched by three Sentinels that make one of the replicas the primary when it is lost.
 * Every node can be killed and started again by itself. Thread-safe.
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

    /** Starts all nodes and Sentinels and waits until they know one another and the replicas are in step. */
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
            Place place = Place.of("sentinel", 0, null);
            String settings = String.join(
                    "\n",
                    "bind 127.0.0.1",
                    "port " + place.port(),
                    "dir \"" + place.data() + "\"",
                    "sentinel monitor " + NAME + " 127.0.0.1 " + nodes.get(0).port() + " " + QUORUM,
                    "sentinel down-after-milliseconds " + NAME + " 1000",
                    "sentinel failover-timeout " + NAME + " 5000",
                    "sentinel parallel-syncs " + NAME + " 2",
                    "");
            List<String> command = List.of(
                    program.file().toString(),
                    place.write("sentinel.conf", settings).toString(),
                    "--sentinel");
            LocalProcess sentinel = place.build(LocalProcess.program("sentinel-" + place.port(), command));
            sentinels.add(sentinel);
            sentinelPorts.add(place.port());
            sentinel.startAndAwait(LIMIT, () -> Resp.answers(place.port()));
        }
    }

    /** Waits until the Sentinels that run agree on a primary that runs, and the replicas that run are in step with it. */
    public void awaitReady() {
        Patience.await("Sentinels to agree and replicas to follow", LIMIT, () -> {
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
        List<String> fields = Resp.ask(sentinel, "SENTINEL", "MASTER", NAME)
                .replaceAll("[\\[\\]]", "")
                .transform(text -> List.of(text.split(", ", -1)));
        Map<String, String> values = IntStream.range(0, fields.size() / 2)
                .boxed()
                .collect(
                        Collectors.toMap(i -> fields.get(2 * i), i -> fields.get(2 * i + 1), (first, second) -> first));
        return "master".equals(values.get("flags"))
                && Integer.toString(primary).equals(values.get("port"))
                && Integer.toString(NODES - 1).equals(values.get("num-slaves"))
                && Integer.toString(SENTINELS - 1).equals(values.get("num-other-sentinels"));
    }

    private static boolean follows(LocalRedis node, LocalRedis primary) {
        List<String> lines =
                Resp.ask(node.port(), "INFO", "replication").lines().toList();
        return lines.contains("master_port:" + primary.port()) && lines.contains("master_link_status:up");
    }

    /** The data nodes, in the order they were made: the first began as the primary. */
    public List<LocalRedis> nodes() {
        return List.copyOf(nodes);
    }

    /** The Sentinels. */
    public List<LocalProcess> sentinels() {
        return List.copyOf(sentinels);
    }

    /**
     * The node that is the primary now, as the Sentinels say.
     *
     * @throws LocalException when that one does not run: they have not noticed yet
     */
    public LocalRedis primary() {
        int asked = IntStream.range(0, SENTINELS)
                .filter(i -> sentinels.get(i).isRunning())
                .findFirst()
                .orElseThrow(() -> new LocalException("No Sentinel runs."));
        String address = Resp.ask(sentinelPorts.get(asked), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
        return nodes.stream()
                .filter(node -> node.isRunning() && address.contains(", " + node.port() + "]"))
                .findFirst()
                .orElseThrow(() -> new LocalException("The Sentinels name " + address + ", which does not run."));
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
