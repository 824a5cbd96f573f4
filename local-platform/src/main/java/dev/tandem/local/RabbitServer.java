package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * RabbitMQ as it is installed here, with the consistent-hash exchange, as a node of its own that knows nothing of the
 * machine's service: own node name, ports, folders and cookie.
 */
final class RabbitServer implements AmqpServer {

    // Debian's command on the PATH changes to the user "rabbitmq" and that user's folders; the one below it does not.
    private static final List<Path> SCRIPTS = List.of(
            Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server"), Path.of("/usr/lib64/rabbitmq/bin/rabbitmq-server"));

    private final LocalProcess broker;
    private final Optional<LocalProcess> portMapper;
    private final Path script;
    private final int port;

    RabbitServer(Path script, Place place, Map<String, String> extra) {
        this.script = script;
        port = place.port();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("listeners.tcp.1", "127.0.0.1:" + place.port());
        settings.put("log.file", "false");
        settings.put("log.console", "true");
        settings.put("log.console.level", "warning");
        settings.putAll(extra);
        Path file = place.home().resolve("rabbitmq.conf");
        Path plugins = place.home().resolve("enabled_plugins");
        try {
            Files.writeString(
                    file,
                    settings.entrySet().stream()
                            .map(setting -> setting.getKey() + " = " + setting.getValue() + "\n")
                            .collect(Collectors.joining()));
            Files.writeString(plugins, "[rabbitmq_consistent_hash_exchange].\n");
        } catch (IOException e) {
            throw new LocalException("RabbitMQ's settings cannot be written below " + place.home() + ": " + e, e);
        }
        int portMapperPort = Ports.reserve();
        LocalProcess.Builder builder = LocalProcess.program("rabbitmq-" + place.port(), List.of(script.toString()))
                .environment("RABBITMQ_NODENAME", "tandem-" + place.port() + "@localhost")
                .environment("RABBITMQ_DIST_PORT", Integer.toString(Ports.reserve()))
                .environment(
                        "RABBITMQ_MNESIA_BASE", place.data().toAbsolutePath().toString())
                .environment("RABBITMQ_LOG_BASE", place.home().toAbsolutePath().toString())
                .environment("RABBITMQ_CONFIG_FILE", file.toAbsolutePath().toString())
                .environment(
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                        plugins.toAbsolutePath().toString())
                .environment(
                        "RABBITMQ_CONF_ENV_FILE",
                        place.home().resolve("none").toAbsolutePath().toString())
                .environment("RABBITMQ_NODE_PORT", null)
                .environment("ERL_EPMD_ADDRESS", "127.0.0.1")
                .environment("ERL_EPMD_PORT", Integer.toString(portMapperPort))
                .environment("HOME", place.home().toAbsolutePath().toString())
                // Has the script become the Erlang machine instead of waiting beside it: signals then reach the broker.
                .environment("RUNNING_UNDER_SYSTEMD", "true");
        broker = place.build(builder);
        portMapper = portMapper(place, portMapperPort);
    }

    /** The installed RabbitMQ's start script, if there is one. */
    static Optional<Path> script() {
        return SCRIPTS.stream().filter(Files::isExecutable).findFirst().or(() -> Programs.find("rabbitmq-server"));
    }

    // Erlang's name service. Left to itself RabbitMQ starts one as a daemon, which would outlive us.
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
    public LocalProcess broker() {
        return broker;
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

    @Override
    public String name() {
        return "RabbitMQ";
    }

    @Override
    public String origin() {
        return script + " on this machine";
    }
}
