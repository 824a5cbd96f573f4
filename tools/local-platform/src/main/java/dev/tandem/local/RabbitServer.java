package dev.tandem.local;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * RabbitMQ with the consistent-hash exchange, as a process or in a container. The process is a node of its own, with
 * its own name, ports, folders and cookie. It has nothing to do with a RabbitMQ that runs as a service of this
 * machine.
 *
 * @param portMapper Erlang's name service, for this node alone
 * @param port for clients
 * @param control makes a process of rabbitmqctl for this node from its arguments; empty for a container
 */
record RabbitServer(
        BrokerRuntime runtime,
        Optional<LocalProcess> portMapper,
        int port,
        String origin,
        Optional<Function<List<String>, LocalProcess>> control)
        implements BrokerServer {

    private static final int CONTAINER_PORT = 5672;
    private static final String HASH_EXCHANGE = "rabbitmq_consistent_hash_exchange";

    private static final String MANAGEMENT = "rabbitmq_management";
    private static final String MANAGEMENT_SETTING = "management.";

    // Debian's command on the PATH switches to the user "rabbitmq" and that user's folders. These do not.
    private static final List<Path> SCRIPTS = List.of(
            Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server"), Path.of("/usr/lib64/rabbitmq/bin/rabbitmq-server"));

    /** Finds the start script of the installed RabbitMQ. */
    static Optional<Path> script() {
        return SCRIPTS.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .or(() -> InstalledPrograms.find("rabbitmq-server"));
    }

    /**
     * @param hashExchange whether it has the plugin with the consistent-hash exchange
     * @param member its place in a cluster; empty for a node of its own
     */
    static RabbitServer process(
            Path script,
            BrokerLocation location,
            Map<String, String> extra,
            boolean hashExchange,
            Optional<RabbitMember> member) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("listeners.tcp.1", "127.0.0.1:" + location.port());
        settings.put("log.file", "false");
        settings.put("log.console", "true");
        settings.put("log.console.level", "warning");
        member.ifPresent(place -> settings.putAll(place.settings()));
        settings.putAll(extra);
        member.ifPresent(place -> place.writeCookie(location.home()));
        int portMapperPort = member.map(RabbitMember::portMapperPort).orElseGet(PortReservations::reserve);
        LocalProcess.Builder builder = node(location, portMapperPort, script, List.of())
                .environment("RABBITMQ_DIST_PORT", Integer.toString(PortReservations.reserve()))
                .environment("RABBITMQ_MNESIA_BASE", location.data().toString())
                .environment(
                        "RABBITMQ_CONFIG_FILE",
                        location.write("rabbitmq.conf", text(settings)).toString())
                .environment(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        location.write("enabled_plugins", plugins(isManaged(settings), hashExchange))
                                .toString())
                .environment("RABBITMQ_NODE_PORT", null)
                // Schedulers without work sleep at once: otherwise they spin, which takes the processor from the rest.
                .environment("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none +sbwtdcpu none +sbwtdio none")
                .environment("ERL_EPMD_ADDRESS", "127.0.0.1")
                // Has the script replace itself by the Erlang machine, so that signals reach the broker.
                .environment("RUNNING_UNDER_SYSTEMD", "true");
        return new RabbitServer(
                location.build(builder),
                member.isPresent() ? Optional.empty() : portMapper(location.home(), portMapperPort),
                location.port(),
                script + " on this machine",
                Optional.of(arguments -> node(location, portMapperPort, script.resolveSibling("rabbitmqctl"), arguments)
                        .directory(location.home())
                        .build()));
    }

    /** Returns the name of the node that listens on a port. */
    static String nodeName(int port) {
        return "tandem-" + port + "@localhost";
    }

    /** Builds a process of RabbitMQ with the name, the folders and the cookie of this node. */
    private static LocalProcess.Builder node(
            BrokerLocation location, int portMapperPort, Path program, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        return LocalProcess.program(program.getFileName() + "-" + location.port(), command)
                .environment("RABBITMQ_NODENAME", nodeName(location.port()))
                .environment("RABBITMQ_LOG_BASE", location.home().toString())
                .environment(
                        "RABBITMQ_CONF_ENV_FILE",
                        location.home().resolve("none").toString())
                .environment("ERL_EPMD_PORT", Integer.toString(portMapperPort))
                .environment("HOME", location.home().toString());
    }

    static RabbitServer container(BrokerLocation location, Map<String, String> extra, boolean hashExchange) {
        BrokerContainer container = BrokerContainer.of(
                        "rabbitmq-" + location.port(), BrokerImages.RABBIT, location.port(), CONTAINER_PORT)
                .file("/etc/rabbitmq/enabled_plugins", plugins(true, hashExchange))
                .file("/etc/rabbitmq/conf.d/90-tandem.conf", "loopback_users = none\n" + text(extra))
                .build(location);
        return new RabbitServer(container, Optional.empty(), location.port(), container.origin(), Optional.empty());
    }

    /** The management plugin takes a second to start, so a process has it only if a setting of it is given. */
    private static boolean isManaged(Map<String, String> settings) {
        return settings.keySet().stream().anyMatch(name -> name.startsWith(MANAGEMENT_SETTING));
    }

    private static String plugins(boolean managed, boolean hashExchange) {
        return Stream.of(managed ? MANAGEMENT : "", hashExchange ? HASH_EXCHANGE : "")
                .filter(plugin -> !plugin.isEmpty())
                .collect(Collectors.joining(",", "[", "].\n"));
    }

    private static String text(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = " + setting.getValue() + "\n")
                .collect(Collectors.joining());
    }

    // Without this, RabbitMQ starts one as a daemon, which would outlive this JVM.
    static Optional<LocalProcess> portMapper(Path folder, int port) {
        return InstalledPrograms.find("epmd")
                .map(program -> LocalProcess.program(
                                "epmd-" + port,
                                List.of(program.toString(), "-port", Integer.toString(port), "-address", "127.0.0.1"))
                        .directory(folder)
                        .disposable()
                        .build());
    }

    @Override
    public boolean ready() {
        return AmqpGreeting.from(port).isPresent();
    }

    @Override
    public void prepare() {
        portMapper.ifPresent(LocalProcess::start);
    }

    @Override
    public void release() {
        portMapper.ifPresent(LocalProcess::close);
    }
}
