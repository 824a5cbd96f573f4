package dev.tandem.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One Redis server, durable as Tandem asks for: append-only file with a sync each second, no snapshots,
 * {@code noeviction}. It listens on 127.0.0.1 only.
 */
public final class LocalRedis extends AbstractBroker {

    private final String product;

    private LocalRedis(Place place, Server server) {
        super(place, server);
        begin();
        product = version(Resp.ask(port(), "INFO", "server"));
    }

    /** A Redis with Tandem's defaults; see {@link Builder} for what can be changed. */
    public static Builder builder() {
        return new Builder();
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

    /** {@code redis://127.0.0.1:<port>}. */
    @Override
    public String address() {
        return "redis://127.0.0.1:" + port();
    }

    /**
     * What Redis has written to its append-only file by now, to go back to with {@link #restartFrom}. That is all it
     * has answered, or up to two seconds less while a sync is slow. Not for a Redis in a container.
     */
    public RedisCheckpoint checkpoint() {
        if (server().runner() instanceof Container) {
            throw new LocalException(
                    "The files of a Redis in a container cannot be reached from here: use one that is a"
                            + " process, with builder().mode(LocalMode.PROCESS).");
        }
        Path copy = Folders.fresh("redis-" + port() + "-checkpoint");
        Folders.deleteAtEnd(copy);
        copy(place().data(), copy);
        return new RedisCheckpoint(copy);
    }

    /** Crashes Redis and starts it with what it had at the checkpoint: a Redis that forgot all later writes. */
    public void restartFrom(RedisCheckpoint checkpoint) {
        kill();
        Folders.delete(place().data());
        copy(checkpoint.folder(), place().data());
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

        /** Which kinds may be used; without this what {@link LocalMode#configured()} says. */
        public Builder mode(LocalMode allowed) {
            this.mode = allowed;
            return this;
        }

        /**
         * Starts Redis and waits until it answers.
         *
         * @throws UnavailableException when the mode allows none that is here
         * @throws LocalException when it does not start
         */
        public LocalRedis start() {
            return Discovery.choose(mode, data, this::inContainer, this::asProcess);
        }

        private LocalRedis asProcess(LocalMode allowed) {
            RedisProgram program = RedisProgram.find(allowed);
            Place place = Place.of("redis", port, data);
            return new LocalRedis(place, RedisServer.process(program, place, settings));
        }

        private LocalRedis inContainer() {
            Place place = Place.of("redis", port, null);
            return new LocalRedis(place, RedisServer.container(place, settings));
        }
    }
}
