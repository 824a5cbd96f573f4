package dev.tandem.local;

import dev.tandem.kit.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/**
 * A Redis server, as durable as Tandem needs it: append-only file with a sync each second, no snapshots,
 * {@code noeviction}. It listens on 127.0.0.1 only.
 */
public final class LocalRedis extends AbstractBroker {

    private final String product;

    private LocalRedis(BrokerLocation location, RedisServer server) {
        super(location, server);
        begin();
        product = server.product().get();
    }

    /** Builds a Redis with Tandem's defaults. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code redis://127.0.0.1:<port>}. */
    @Override
    public String address() {
        return address(port());
    }

    static String address(int port) {
        return "redis://127.0.0.1:" + port;
    }

    /**
     * Copies what Redis has written to its append-only file by now, for {@link #restartFrom}. That is all it has
     * answered, or up to two seconds less while a sync is slow. Not for a Redis in a container.
     */
    public RedisCheckpoint checkpoint() {
        if (server().runtime() instanceof BrokerContainer) {
            throw new LocalException("The files of a Redis in a container cannot be reached: use one that runs as a"
                    + " process, with builder().mode(LocalMode.PROCESS).");
        }
        Path copy = ProcessFolders.create("redis-" + port() + "-checkpoint");
        ProcessFolders.deleteAtEnd(copy);
        copy(location().data(), copy);
        return new RedisCheckpoint(copy);
    }

    /** Crashes Redis and starts it with what it had at the checkpoint, so that it has forgotten all later writes. */
    public void restartFrom(RedisCheckpoint checkpoint) {
        kill();
        FileTree.delete(location().data());
        copy(checkpoint.folder(), location().data());
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
            // A temporary file that Redis has renamed meanwhile.
        }
    }

    /** Settings of a {@link LocalRedis}. Not thread-safe. */
    public static final class Builder extends BrokerBuilder<Builder> {

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Starts Redis and waits until it answers.
         *
         * @throws MissingBrokerException when there is none that the mode allows
         * @throws LocalException when it does not start
         */
        public LocalRedis start() {
            return RuntimeSelection.choose(mode(), data(), this::inContainer, this::asProcess);
        }

        private LocalRedis asProcess(LocalMode allowed) {
            RedisProgram program = RedisProgram.find(allowed);
            BrokerLocation location = location("redis");
            return new LocalRedis(location, RedisServer.process(program, location, settings()));
        }

        private LocalRedis inContainer() {
            BrokerLocation location = containerLocation("redis");
            return new LocalRedis(location, RedisServer.container(location, settings()));
        }
    }
}
