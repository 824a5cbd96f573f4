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
 * Reservations of free ports on the loopback address for the life of this JVM, so that a broker can be killed and
 * started again on the same port. Thread-safe.
 *
 * <p>The ports lie below the range from which kernels take ports of outgoing connections, and each is held by a file
 * lock. So neither a client's connection nor another JVM of ours takes a port while its broker is down.
 */
public final class PortReservations {

    private static final int FIRST = 10_240;

    /** Behind it come the ports on which the nodes of Redis Clusters talk to each other. */
    private static final int LAST = 20_239;

    /** The nodes of a Redis Cluster talk to each other on the client port plus this. */
    static final int REDIS_BUS_OFFSET = 10_000;

    private static final int ATTEMPTS = 1_000;

    // Stays open until the JVM ends: closing any channel of a file releases all locks that the process has on it.
    private static @Nullable FileChannel lockFile;

    // Java forgets a lock that nobody refers to, and the kernel lets one process lock the same byte twice.
    private static final List<FileLock> HELD = new ArrayList<>();

    private PortReservations() {}

    /** Reserves a free port until this JVM ends. */
    public static synchronized int reserve() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (reserve(port, port + REDIS_BUS_OFFSET)) {
                return port;
            }
        }
        throw new LocalException("No free port between " + FIRST + " and " + LAST + " on 127.0.0.1 was found in "
                + ATTEMPTS + " attempts. Stop what listens there, or set the ports explicitly.");
    }

    /** Reserves this port if it is free, else another one, until this JVM ends. */
    public static synchronized int usualOrReserved(int usual) {
        return reserve(usual, usual) ? usual : reserve();
    }

    /** Returns a line about a service that did not get its usual port, without a full stop. */
    public static String otherPort(String service, int usual, int given) {
        String why =
                isFree(usual) ? "reserved by another ./tandem of this user" : "taken " + PortHolder.describe(usual);
        return "Port " + usual + " is " + why + ", so " + service + " gets port " + given;
    }

    /** Reserves a port if nobody has reserved it, and nothing listens on it or on the other port. */
    private static boolean reserve(int port, int other) {
        FileLock lock = lock(port);
        if (lock == null) {
            return false;
        }
        if (isFree(port) && isFree(other)) {
            HELD.add(lock);
            return true;
        }
        release(lock);
        return false;
    }

    /** Whether nothing listens on this port of the loopback address, and we are allowed to. */
    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Locks the byte of the file that stands for the port. Returns null if it is locked already. */
    private static @Nullable FileLock lock(int port) {
        Path file = file();
        try {
            FileChannel channel = lockFile;
            if (channel == null) {
                channel = lockFile = FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            return channel.tryLock(port, 1, false);
        } catch (OverlappingFileLockException e) {
            return null; // by this JVM
        } catch (IOException e) {
            throw new LocalException("Port " + port + " could not be reserved in " + file + ": " + e, e);
        }
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            throw new LocalException("The lock of a port could not be released: " + e, e);
        }
    }

    private static Path file() {
        String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9._-]", "_");
        return Path.of(System.getProperty("java.io.tmpdir"), "tandem-ports-" + user + ".lock");
    }
}
