package dev.tandem.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One Redis server as a child process, durable as Tandem asks for: append-only file with a sync each second, no
 * snapshots, {@code noeviction}. It listens on 127.0.0.1 only.
 */
public final class LocalRedis implements LocalBroker {

    private static final Duration START_LIMIT = Duration.ofSeconds(20);

    private final RedisProgram program;
    private final int port;
    private final Path data;
    private final boolean temporary;
    private final LocalProcess process;
    private final String product;

    private LocalRedis(Builder builder) {
        program = RedisProgram.find(builder.mode);
        port = builder.port != 0 ? builder.port : Ports.reserve();
        Path given = builder.data;
        temporary = given == null;
        Path home = given != null ? given : Folders.fresh("redis-" + port);
        data = home.resolve("data");
        if (temporary) {
            Folders.deleteAtEnd(data);
        }
        process = process(home, builder.settings);
        start();
        product = version(Resp.ask(port, "INFO", "server"));
    }

    /** A Redis with Tandem's defaults; see {@link Builder} for what can be changed. */
    public static Builder builder() {
        return new Builder();
    }

    private LocalProcess process(Path home, Map<String, String> extra) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("bind", "127.0.0.1");
        settings.put("port", Integer.toString(port));
        settings.put("dir", '"' + data.toAbsolutePath().toString() + '"');
        settings.put("daemonize", "no");
        settings.put("save", "\"\"");
        settings.put("appendonly", "yes");
        settings.put("appendfsync", "everysec");
        settings.put("maxmemory-policy", "noeviction");
        settings.putAll(extra);
        Path file = home.resolve("redis.conf");
        try {
            Files.createDirectories(data);
            Files.writeString(
                    file,
                    settings.entrySet().stream()
                            .map(setting -> setting.getKey() + " " + setting.getValue() + "\n")
                            .collect(Collectors.joining()));
        } catch (IOException e) {
            throw new LocalException("Redis' settings cannot be written to " + file + ": " + e, e);
        }
        LocalProcess.Builder builder = LocalProcess.program(
                        "redis-" + port,
                        List.of(program.file().toString(), file.toAbsolutePath().toString()))
                .directory(home);
        return (temporary ? builder.disposable() : builder).build();
    }

    private static String version(String info) {
        Map<String, String> fields = info.lines()
                .filter(line -> line.contains(":"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> line.substring(line.indexOf(':') + 1).strip(),
                        (first, second) -> first));
        return fields.containsKey("valkey_version")
                ? "Valkey " + fields.get("valkey_version")
                : "Redis " + fields.getOrDefault("redis_version", "of an unknown version");
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    public String origin() {
        return program.origin();
    }

    /** {@code redis://127.0.0.1:<port>}. */
    @Override
    public String address() {
        return "redis://127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    @Override
    public boolean isRunning() {
        return process.isRunning();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void stop() {
        process.stop();
    }

    @Override
    public void start() {
        process.startAndAwait(START_LIMIT, () -> Resp.answers(port));
    }

    @Override
    public void suspend() {
        process.suspend();
    }

    @Override
    public void resume() {
        process.resume();
    }

    /** The file with its log. */
    public Path log() {
        return process.log();
    }

    /**
     * What Redis has written to its append-only file by now, to go back to with {@link #restartFrom}. That is all it
     * has answered, or up to two seconds less while a sync is slow.
     */
    public RedisCheckpoint checkpoint() {
        Path copy = Folders.fresh("redis-" + port + "-checkpoint");
        Folders.deleteAtEnd(copy);
        copy(data, copy);
        return new RedisCheckpoint(copy);
    }

    /** Crashes Redis and starts it with what it had at the checkpoint: a Redis that forgot all later writes. */
    public void restartFrom(RedisCheckpoint checkpoint) {
        kill();
        Folders.delete(data);
        copy(checkpoint.folder(), data);
        start();
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    copyFile(file, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copyFile(Path file, Path target) throws IOException {
        try {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
            // A temporary file of Redis that has been renamed meanwhile.
        }
    }

    @Override
    public void close() {
        process.close();
        if (temporary) {
            Folders.delete(data);
        }
    }

    @Override
    public String toString() {
        return product + " (" + origin() + ") at " + address();
    }

    /** Settings of a {@link LocalRedis}. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private LocalMode mode = LocalMode.configured();
        private int port;
        private @Nullable Path data;

        private Builder() {}

        /** The port; without one a free one is taken. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /** A folder that keeps the data; null, as by itself, makes it temporary. */
        public Builder data(@Nullable Path folder) {
            this.data = folder;
            return this;
        }

        /** A line of {@code redis.conf}, over the defaults: {@code setting("maxmemory", "64mb")}. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Which programs may be used; without this what {@link LocalMode#configured()} says. */
        public Builder mode(LocalMode allowed) {
            this.mode = allowed;
            return this;
        }

        /** Starts Redis and waits until it answers. */
        public LocalRedis start() {
            return new LocalRedis(this);
        }
    }
}
