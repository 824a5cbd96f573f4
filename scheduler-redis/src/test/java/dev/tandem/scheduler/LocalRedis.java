package dev.tandem.scheduler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A real Redis in a folder and on a port of its own. */
final class LocalRedis implements AutoCloseable {

    private final int port;
    private final Path folder;
    private final List<String> options;
    private Process process;

    private LocalRedis(int port, Path folder, List<String> options) {
        this.port = port;
        this.folder = folder;
        this.options = options;
        this.process = launch();
    }

    static LocalRedis start(String... options) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = socket.getLocalPort();
            socket.close();
            return new LocalRedis(port, Files.createTempDirectory("tandem-redis"), List.of(options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process launch() {
        List<String> command = new ArrayList<>(List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.toString(),
                "--save",
                "",
                "--maxmemory-policy",
                "noeviction"));
        command.addAll(options);
        try {
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            for (int i = 0; i < 500; i++) {
                try (Socket probe = new Socket("127.0.0.1", port)) {
                    return started;
                } catch (IOException e) {
                    Thread.sleep(10);
                }
            }
            started.destroyForcibly();
            throw new IllegalStateException("Redis did not start: " + Files.readString(folder.resolve("log")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    int port() {
        return port;
    }

    Path folder() {
        return folder;
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    void restart() {
        kill();
        process = launch();
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
