package dev.tandem.local;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Redis, as a process or in a container.
 *
 * @param port for clients
 * @param product returns the product and its version, once Redis runs
 */
record RedisServer(BrokerRuntime runtime, int port, String origin, Supplier<String> product) implements BrokerServer {

    private static final int CONTAINER_PORT = 6379;

    static RedisServer process(RedisProgram program, BrokerLocation location, Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("bind", "127.0.0.1");
        settings.put("port", Integer.toString(location.port()));
        settings.put("dir", '"' + location.data().toString() + '"');
        settings.put("daemonize", "no");
        settings.putAll(settings(extra));
        String lines = settings.entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue() + "\n")
                .collect(Collectors.joining());
        String file = location.write("redis.conf", lines).toString();
        // Without the signal, a write beyond the size limit of a file fails, as on a full disk, and Redis keeps
        // running.
        List<String> command = List.of(
                "/bin/sh",
                "-c",
                "trap '' XFSZ; exec \"$0\" \"$1\"",
                program.file().toString(),
                file);
        BrokerRuntime process = location.build(LocalProcess.program("redis-" + location.port(), command));
        return new RedisServer(process, location.port(), program.origin(), program::product);
    }

    static RedisServer container(BrokerLocation location, Map<String, String> extra) {
        Stream<String> options = settings(extra).entrySet().stream()
                .flatMap(setting ->
                        Stream.of("--" + setting.getKey(), setting.getValue().replace("\"", "")));
        BrokerContainer container = BrokerContainer.of(
                        "redis-" + location.port(), BrokerImages.REDIS, location.port(), CONTAINER_PORT)
                .command(Stream.concat(Stream.of("redis-server"), options).toList())
                .build(location);
        return new RedisServer(container, location.port(), container.origin(), () -> askProduct(location.port()));
    }

    // As durable as Tandem needs it: at most the last second is lost, and nothing is evicted.
    private static Map<String, String> settings(Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("save", "\"\"");
        settings.put("appendonly", "yes");
        settings.put("appendfsync", "everysec");
        settings.put("maxmemory-policy", "noeviction");
        settings.putAll(extra);
        return settings;
    }

    private static String askProduct(int port) {
        return RedisNode.ask(port, commands -> commands.info("server"))
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> "Redis " + line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("Redis of an unknown version");
    }

    @Override
    public boolean ready() {
        return RedisNode.answers(port);
    }
}
