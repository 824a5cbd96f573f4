package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortHolderTest {

    private static final String TABLE = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:18EB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 777 1 0 100 0
               1: 0100007F:18EC 0100007F:18EB 01 00000000:00000000 00:00000000 00000000     0        0 778 1 0 100 0
            """;

    @TempDir
    private Path proc;

    @Test
    void aListeningProgramIsNamed() throws IOException {
        process("4711", "socket:[777]", "/usr/bin/redis-server\0--requirepass\0secret\0");
        process("4712", "socket:[778]", "/usr/bin/redis-cli\0");

        assertThat(PortHolder.describe(6379, proc, "Linux")).isEqualTo("by redis-server (pid 4711)");
    }

    @Test
    void theMainClassOfAJavaProgramIsNamed() throws IOException {
        process("4711", "socket:[777]", "/opt/jdk/bin/java\0-Xmx1g\0-cp\0/a.jar:/b.jar\0org.example.Main\0--token=x\0");

        assertThat(PortHolder.describe(6379, proc, "Linux")).isEqualTo("by java org.example.Main (pid 4711)");
    }

    @Test
    void aProgramThatCannotBeFoundIsLeftToACommand() throws IOException {
        process("4712", "socket:[778]", "/usr/bin/redis-cli\0");

        assertThat(PortHolder.describe(6379, proc, "Linux")).contains("another user", "'sudo ss -ltnp sport = :6379'");
        assertThat(PortHolder.describe(6379, proc, "Mac OS X")).contains("'lsof -nP -iTCP:6379 -sTCP:LISTEN'");
    }

    @Test
    void aPortWithoutAListenerIsChangingHands() throws IOException {
        process("4712", "socket:[778]", "/usr/bin/redis-cli\0");

        assertThat(PortHolder.describe(6380, proc, "Linux")).contains("about to start");
    }

    /** The tables of the kernel that runs this test are read as well. */
    @Test
    void thisProgramIsFound() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "there is no /proc");
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(PortHolder.describe(socket.getLocalPort()))
                    .startsWith("by java")
                    .endsWith("(pid " + ProcessHandle.current().pid() + ")");
        }
    }

    private void process(String pid, String socket, String command) throws IOException {
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net/tcp"), TABLE);
        Path folder = Files.createDirectories(proc.resolve(pid));
        Files.createDirectories(folder.resolve("fd"));
        Files.createSymbolicLink(folder.resolve("fd/3"), Path.of(socket));
        Files.writeString(folder.resolve("cmdline"), command);
    }
}
