package dev.tandem.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Free ports on the loopback address that stay ours for the life of this JVM, so that a broker can be killed and started
 * again on the same one.
 *
 * <p>They lie below the range that kernels give to outgoing connections, and each is held by a file lock, so that
 * neither a client's connection nor another JVM of ours takes one while its broker is down.
 */
public final class Ports {

    private static final int FIRST = 10_240;
    private static final int LAST = 21_999;

    /** Redis Cluster nodes talk to each other on the client port plus this. */
    static final int REDIS_BUS_OFFSET = 10_000;

    private static final int ATTEMPTS = 1_000;

    // Open until the JVM ends: closing any channel of the file would give all of our ports away.
    private static @Nullable FileChannel reservations;

    // Java knows of its own locks only as long as someone holds them, and the kernel lets a process lock twice.
    private static final List<FileLock> HELD = new ArrayList<>();

    private Ports() {}

    /** A free port, reserved until this JVM ends. Thread-safe. */
    public static synchronized int reserve() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            FileLock lock = lock(port);
            if (lock != null) {
                if (bindable(port) && bindable(port + REDIS_BUS_OFFSET)) {
                    HELD.add(lock);
                    return port;
                }
                release(lock);
            }
        }
        throw new LocalException("No free port between " + FIRST + " and " + LAST + " on 127.0.0.1 in " + ATTEMPTS
                + " tries. End what listens there, or give the ports by hand.");
    }

    /** Whether nothing listens on this port of the loopback address, and we may. */
    static boolean isFree(int port) {
        return bindable(port);
    }

    /** A port is a byte of the file; null: someone has it. */
    private static @Nullable FileLock lock(int port) {
        Path file = file();
        try {
            FileChannel channel = reservations;
            if (channel == null) {
                channel = reservations = FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            return channel.tryLock(port, 1, false);
        } catch (OverlappingFileLockException e) {
            return null; // ours already
        } catch (IOException e) {
            throw new LocalException("A port could not be reserved in " + file + ": " + e, e);
        }
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            throw new LocalException("A port's lock could not be released: " + e, e);
        }
    }

    private static Path file() {
        String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9._-]", "_");
        return Path.of(System.getProperty("java.io.tmpdir"), "tandem-ports-" + user + ".lock");
    }

    private static boolean bindable(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
