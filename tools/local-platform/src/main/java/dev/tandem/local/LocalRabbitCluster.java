package dev.tandem.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A RabbitMQ cluster of three nodes on this machine, so that a quorum queue has three members. Every node is a {@link
 * LocalAmqp} that can be killed and started again on its own. Thread-safe.
 */
public final class LocalRabbitCluster implements AutoCloseable {

    private static final int NODES = 3;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path folder = ProcessFolders.create("rabbit-cluster");
    private final Optional<LocalProcess> portMapper;
    private final List<LocalAmqp> nodes = new ArrayList<>();

    private LocalRabbitCluster(LocalMode mode) {
        int portMapperPort = PortReservations.reserve();
        portMapper = RabbitServer.portMapper(folder, portMapperPort);
        try {
            portMapper.ifPresent(LocalProcess::start);
            String cookie = UUID.randomUUID().toString();
            for (int i = 0; i < NODES; i++) {
                Optional<String> first = nodes.stream().findFirst().map(LocalRabbitCluster::nodeName);
                nodes.add(LocalAmqp.builder()
                        .mode(mode.withoutDocker()) // the nodes reach one another by the names of this machine
                        .member(new RabbitMember(portMapperPort, cookie, first))
                        .start());
            }
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Starts three nodes, which takes about 20 seconds, and waits until they form a cluster.
     *
     * @throws MissingBrokerException where RabbitMQ is not installed
     */
    public static LocalRabbitCluster start() {
        return new LocalRabbitCluster(LocalMode.configured());
    }

    /** Returns all nodes, in the order in which they were made. */
    public List<LocalAmqp> nodes() {
        return List.copyOf(nodes);
    }

    /** The addresses of all nodes, separated by commas, as Tandem's settings take them. */
    public String address() {
        return nodes.stream().map(LocalAmqp::address).collect(Collectors.joining(","));
    }

    /** Waits until every running node sees every other running node. */
    public void awaitReady() {
        Waiting.untilNodes(LIMIT, "The nodes did not form a cluster", () -> {
            long running = nodes.stream().filter(LocalAmqp::isRunning).count();
            String seen = "seen=" + (running - 1);
            return nodes.stream()
                    .filter(LocalAmqp::isRunning)
                    .allMatch(node -> eval(node, "io:format(\"seen=~b\", [length(nodes())])")
                            .contains(seen));
        });
    }

    /**
     * Breaks the connection between a node and all others, at once on the side of that node. Erlang opens it again as
     * soon as one of the nodes has something to say to the other.
     *
     * @param times how often
     * @param pause between two of them
     */
    public void disconnect(LocalAmqp node, int times, Duration pause) {
        eval(
                node,
                "[begin [erlang:disconnect_node(N) || N <- nodes()], timer:sleep(" + pause.toMillis()
                        + ") end || _ <- lists:seq(1, " + times + ")]");
    }

    /**
     * Moves the leaders of all quorum queues to a node, as far as it has a member of theirs that is up to date.
     *
     * @return how many leaders are there now
     */
    public int moveLeaders(LocalAmqp to) {
        String target = "'" + nodeName(to) + "'";
        String moved = eval(
                to,
                "io:format(\"moved=~b.\", [length([Q || Q <- rabbit_amqqueue:list(),"
                        + " rabbit_quorum_queue =:= amqqueue:get_type(Q),"
                        + " {Name, Leader} <- [amqqueue:get_pid(Q)],"
                        + " Leader =:= " + target
                        + " orelse lists:member(ra:transfer_leadership({Name, Leader}, {Name, "
                        + target + "}), [ok, already_leader])])])");
        String number = moved.substring(moved.indexOf("moved=") + "moved=".length());
        return Integer.parseInt(number.substring(0, number.indexOf('.')));
    }

    /** Returns whether the leaders of all quorum queues are on this node. */
    public boolean leadsAll(LocalAmqp node) {
        return eval(
                        node,
                        "io:format(\"away=~b.\", [length([Q || Q <- rabbit_amqqueue:list(),"
                                + " rabbit_quorum_queue =:= amqqueue:get_type(Q),"
                                + " {_, Leader} <- [amqqueue:get_pid(Q)], Leader =/= '" + nodeName(node) + "'])])")
                .contains("away=0.");
    }

    private static String eval(LocalAmqp node, String expression) {
        return node.control("-q", "eval", expression + ".");
    }

    private static String nodeName(LocalAmqp node) {
        return RabbitServer.nodeName(node.port());
    }

    @Override
    public void close() {
        nodes.parallelStream().forEach(LocalAmqp::close);
        portMapper.ifPresent(LocalProcess::close);
    }

    @Override
    public String toString() {
        return "RabbitMQ cluster of " + nodes.get(0) + " and " + (NODES - 1) + " more";
    }
}
