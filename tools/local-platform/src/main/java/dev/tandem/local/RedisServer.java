package dev.tandem.local;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Redis, as a process or in a container.
 *
 * @param runner not started yet
 * @param port where it answers
 * @param origin where it comes from, for people
 */
record RedisServer(Runner runner, int port, String origin) implements Server {

    private static final String IMAGE = "redis:7-alpine";
    private static final int CONTAINER_PORT = 6379;

    static RedisServer process(RedisProgram program, Place place, Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("bind", "127.0.0.1");
        settings.put("port", Integer.toString(place.port()));
        settings.put("dir", '"' + place.data().toString() + '"');
        settings.put("daemonize", "no");
        settings.putAll(settings(extra));
        String lines = settings.entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue() + "\n")
                .collect(Collectors.joining());
        String file = place.write("redis.conf", lines).toString();
        // A file that reaches a limit of its size is then a failed write, as on a full disk, and not the end of Redis.
        List<String> command = List.of(
                "/bin/sh",
                "-c",
                "trap '' XFSZ; exec \"$0\" \"$1\"",
                program.file().toString(),
                file);
        Runner runner = place.build(LocalProcess.program("redis-" + place.port(), command));
        return new RedisServer(runner, place.port(), program.origin());
    }

    static RedisServer container(Place place, Map<String, String> extra) {
        Stream<String> options = settings(extra).entrySet().stream()
                .flatMap(setting ->
                        Stream.of("--" + setting.getKey(), setting.getValue().replace("\"", "")));
        Container container = Container.of("redis-" + place.port(), IMAGE, place.port(), CONTAINER_PORT)
                .command(Stream.concat(Stream.of("redis-server"), options).toList())
                .build(place);
        return new RedisServer(container, place.port(), container.origin());
    }

    // Durable as the design asks for: at most the last second is lost, and nothing is evicted.
    private static Map<String, String> settings(Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("save", "\"\"");
        settings.put("appendonly", "yes");
        settings.put("appendfsync", "everysec");
        settings.put("maxmemory-policy", "noeviction");
        settings.putAll(extra);
        return settings;
    }

    @Override
    public boolean ready() {
        return Resp.answers(port);
    }
}
