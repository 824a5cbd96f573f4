package dev.tandem.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
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

    // Held until the JVM ends: a lock goes when its channel is collected.
    private static final List<FileLock> HELD = new ArrayList<>();

    private Ports() {}

    /** A free port, reserved until this JVM ends. Thread-safe. */
    public static synchronized int reserve() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (lock(port)) {
                if (bindable(port) && bindable(port + REDIS_BUS_OFFSET)) {
                    return port;
                }
                release();
            }
        }
        throw new LocalException("No free port between " + FIRST + " and " + LAST + " on 127.0.0.1 in " + ATTEMPTS
                + " tries. End what listens there, or give the ports by hand.");
    }

    /** Whether nothing listens on this port of the loopback address, and we may. */
    static boolean isFree(int port) {
        return bindable(port);
    }

    private static boolean lock(int port) {
        try {
            FileChannel channel = FileChannel.open(
                    folder().resolve(port + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                return false;
            }
            HELD.add(lock);
            return true;
        } catch (IOException e) {
            throw new LocalException("A port could not be reserved under " + folder() + ": " + e, e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void release() {
        try {
            HELD.remove(HELD.size() - 1).acquiredBy().close();
        } catch (IOException e) {
            throw new LocalException("A port's lock could not be released: " + e, e);
        }
    }

    private static Path folder() {
        String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9._-]", "_");
        Path folder = Path.of(System.getProperty("java.io.tmpdir"), "tandem-ports-" + user);
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            return folder;
        } catch (IOException e) {
            throw new LocalException("The folder for port reservations, " + folder + ", cannot be made: " + e, e);
        }
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
