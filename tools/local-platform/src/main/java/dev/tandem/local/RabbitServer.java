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

/**
 * RabbitMQ with the consistent-hash exchange: as it is installed here, as a node of its own that knows nothing of the
 * machine's service (own node name, ports, folders and cookie), or in a container.
 *
 * @param runner not started yet
 * @param portMapper Erlang's name service for this node alone
 * @param port where it answers
 * @param origin where it comes from, for people
 * @param control rabbitmqctl for this node, without a command; empty for one in a container
 */
record RabbitServer(
        Runner runner,
        Optional<LocalProcess> portMapper,
        int port,
        String origin,
        Optional<Function<List<String>, LocalProcess>> control)
        implements Server {

    private static final String IMAGE = "rabbitmq:4-management";
    private static final int CONTAINER_PORT = 5672;
    private static final String HASH_EXCHANGE = "rabbitmq_consistent_hash_exchange";

    // Debian's command on the PATH changes to the user "rabbitmq" and that user's folders; the one below it does not.
    private static final List<Path> SCRIPTS = List.of(
            Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server"), Path.of("/usr/lib64/rabbitmq/bin/rabbitmq-server"));

    /** The installed RabbitMQ's start script, if there is one. */
    static Optional<Path> script() {
        return SCRIPTS.stream().filter(Files::isExecutable).findFirst().or(() -> Programs.find("rabbitmq-server"));
    }

    static RabbitServer process(Path script, Place place, Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("listeners.tcp.1", "127.0.0.1:" + place.port());
        settings.put("log.file", "false");
        settings.put("log.console", "true");
        settings.put("log.console.level", "warning");
        settings.putAll(extra);
        int portMapperPort = Ports.reserve();
        LocalProcess.Builder builder = node(place, portMapperPort, script, List.of())
                .environment("RABBITMQ_DIST_PORT", Integer.toString(Ports.reserve()))
                .environment("RABBITMQ_MNESIA_BASE", place.data().toString())
                .environment(
                        "RABBITMQ_CONFIG_FILE",
                        place.write("rabbitmq.conf", text(settings)).toString())
                .environment(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        place.write("enabled_plugins", "[" + HASH_EXCHANGE + "].\n")
                                .toString())
                .environment("RABBITMQ_NODE_PORT", null)
                .environment("ERL_EPMD_ADDRESS", "127.0.0.1")
                // Has the script become the Erlang machine instead of waiting beside it: signals then reach the broker.
                .environment("RUNNING_UNDER_SYSTEMD", "true");
        return new RabbitServer(
                place.build(builder),
                portMapper(place, portMapperPort),
                place.port(),
                script + " on this machine",
                Optional.of(arguments -> node(place, portMapperPort, script.resolveSibling("rabbitmqctl"), arguments)
                        .directory(place.home())
                        .build()));
    }

    /** A program of RabbitMQ with the name, the folders and the cookie of this node. */
    private static LocalProcess.Builder node(Place place, int portMapperPort, Path program, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        return LocalProcess.program(program.getFileName() + "-" + place.port(), command)
                .environment("RABBITMQ_NODENAME", "tandem-" + place.port() + "@localhost")
                .environment("RABBITMQ_LOG_BASE", place.home().toString())
                .environment(
                        "RABBITMQ_CONF_ENV_FILE", place.home().resolve("none").toString())
                .environment("ERL_EPMD_PORT", Integer.toString(portMapperPort))
                .environment("HOME", place.home().toString());
    }

    static RabbitServer container(Place place, Map<String, String> extra) {
        Container container = Container.of("rabbitmq-" + place.port(), IMAGE, place.port(), CONTAINER_PORT)
                .file("/etc/rabbitmq/enabled_plugins", "[rabbitmq_management," + HASH_EXCHANGE + "].\n")
                .file("/etc/rabbitmq/conf.d/90-tandem.conf", "loopback_users = none\n" + text(extra))
                .build(place);
        return new RabbitServer(container, Optional.empty(), place.port(), container.origin(), Optional.empty());
    }

    private static String text(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = " + setting.getValue() + "\n")
                .collect(Collectors.joining());
    }

    // Left to itself RabbitMQ starts one as a daemon, which would outlive us.
    private static Optional<LocalProcess> portMapper(Place place, int port) {
        return Programs.find("epmd")
                .map(program -> LocalProcess.program(
                                "epmd-" + port,
                                List.of(program.toString(), "-port", Integer.toString(port), "-address", "127.0.0.1"))
                        .directory(place.home())
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
