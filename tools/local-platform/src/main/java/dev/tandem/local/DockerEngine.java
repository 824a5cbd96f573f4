package dev.tandem.local;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The Docker engine of this machine, asked over its socket, so that no client library is needed. Thread-safe. */
final class DockerEngine {

    private static final int TIMEOUT_MILLIS = 2_000;
    private static final String UNIX = "unix://";

    private DockerEngine() {}

    /** Whether an engine answers. It is asked once in the life of this JVM. */
    static boolean answers() {
        return Answer.YES;
    }

    /** @throws MissingBrokerException when no engine answers */
    static void require() {
        if (!answers()) {
            throw new MissingBrokerException(LocalMode.VARIABLE + "=docker, but no Docker engine answers at "
                    + String.join(" or ", sockets().stream().map(Path::toString).toList())
                    + ". Start it, or set " + LocalMode.VARIABLE + "=path or embedded.");
        }
    }

    private static List<Path> sockets() {
        // Containers of a remote engine would not listen on this machine, so only a local socket is of use.
        Optional<String> host =
                Optional.ofNullable(System.getenv("DOCKER_HOST")).filter(value -> !value.isBlank());
        if (host.isPresent()) {
            return host.filter(value -> value.startsWith(UNIX))
                    .map(value -> List.of(Path.of(value.substring(UNIX.length()))))
                    .orElse(List.of());
        }
        String home = System.getProperty("user.home");
        return Stream.of(
                        Path.of("/var/run/docker.sock"),
                        Path.of(home, ".docker", "run", "docker.sock"),
                        Path.of(home, ".docker", "desktop", "docker.sock"))
                .toList();
    }

    private static boolean pong(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                Selector selector = Selector.open()) {
            channel.write(ByteBuffer.wrap("GET /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII)));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            ByteBuffer answer = ByteBuffer.allocate(32);
            if (selector.select(TIMEOUT_MILLIS) == 0 || channel.read(answer) <= 0) {
                return false;
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII)
                    .matches("(?s)HTTP/1\\.[01] 200.*");
        } catch (IOException e) {
            return false;
        }
    }

    private static final class Answer {
        static final boolean YES = sockets().stream().anyMatch(DockerEngine::pong);
    }
}
